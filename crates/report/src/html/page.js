// The page as a whole: what is selected, keys, links, colours.
const state = { run: null, at: -1, slice: true, opened: new Set(), listed: [], query: '', hit: -1, lineNote: '' };
const TABS = [['findings', 'Findings'], ['run', 'Run'], ['about', 'Verdict'], ['projection', 'Projection'], ['graph', 'Graph'], ['tree', 'Tree'], ['statistics', 'Statistics']]
  .filter(([id]) => id !== 'findings' || data.findings.length > 1);
const firstRun = () => data.findings.findIndex(f => f.run);
const currentTab = () => TABS.find(([id]) => $(id).classList.contains('on'))?.[0];

function tab(id) {
  for (const [name] of TABS) {
    const isOn = name === id, button = $(`tab-${name}`);
    $(name).classList.toggle('on', isOn);
    button.setAttribute('aria-selected', isOn);
    button.tabIndex = isOn ? 0 : -1;
  }
  if (id === 'run') mark();
  if (id === 'graph') { if (!$('svg').innerHTML) showGraph(); followFunction(); }
}
// The address says what is selected, so that it can be sent to somebody.
function leaveLink() {
  const parts = [];
  if (state.run?.finding !== undefined && data.findings.length > 1) parts.push(`finding=${state.run.finding + 1}`);
  if (state.run?.finding !== undefined && state.at >= 0) parts.push(`step=${state.at + 1}`);
  if (state.run?.path !== undefined && state.over) parts.push(`line=${encodeURIComponent(state.over)}`);
  try { history.replaceState(null, '', `#${parts.join('&')}`); } catch { /* Pages inside editors have no address. */ }
}
function mark() {
  const { run, at } = state, shown = visibleSteps();
  document.querySelectorAll('#steps li.now').forEach(li => { li.classList.remove('now'); li.setAttribute('aria-selected', false); });
  markSource(run, shown, at);
  renderMemory();
  const step = run?.steps[at];
  $('position').textContent = step ? `step ${at + 1} of ${run.steps.length}` : '';
  if (currentTab() === 'graph') followFunction();
  if (!step) return;
  const item = $(`step-${at + 1}`);
  if (item) {
    item.classList.add('now'); item.setAttribute('aria-selected', true);
    $('steps').setAttribute('aria-activedescendant', item.id);
    scrollInside($('steps'), item, false);
  }
  toRow(placeKey(step.file, step.line));
  leaveLink();
}
// Selects a step: what hides it is opened.
function select(at) {
  const { run } = state;
  if (!run || !run.steps[at]) return;
  state.at = at;
  if (state.slice && !run.steps[at].essential) { state.slice = false; $('slice').setAttribute('aria-pressed', false); renderSteps(); }
  for (let again = 0; again < 8 && !state.listed.includes(at) && !state.query; again++) {
    const fold = listedRows().find(row => 'fold' in row && !state.opened.has(row.fold) && row.fold <= at && at < row.until);
    if (!fold) break;
    state.opened.add(fold.fold);
    renderSteps();
  }
  mark();
}
function go(by) {
  const order = state.listed;
  if (!order.length) return;
  const now = order.indexOf(state.at);
  select(order[now < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(Math.max(now + by, 0), order.length - 1)]);
}
const goToEnd = by => { if (state.listed.length) select(state.listed[by < 0 ? 0 : state.listed.length - 1]); };
function choose(run, at) {
  Object.assign(state, { run, at: -1, opened: new Set() });
  renderSteps();
  // What is above takes its room before anything is scrolled to.
  renderMemory();
  if (run) select(at ?? run.steps.length - 1); else mark();
}
function chooseFinding(number, at) {
  const finding = data.findings[number];
  if (!finding) return;
  Object.assign(state, { lineNote: '', over: null });
  renderHeadline(finding);
  if (finding.run) { tab('run'); choose(runOfFinding(number), at); } else { tab('about'); choose(null); if (finding.place) linked(placeOf(finding.place)); }
  if (data.findings.length > 1) renderFindings();
}
function nextFinding(by) {
  const number = state.run?.finding ?? -1, all = data.findings.flatMap((f, i) => f.run ? [i] : []);
  if (all.length) chooseFinding(all[(all.indexOf(number) + by + all.length) % all.length]);
}
const backToRun = () => { if (firstRun() >= 0) chooseFinding(state.before ?? firstRun()); };
function toggleSlice() {
  state.slice = !state.slice;
  $('slice').setAttribute('aria-pressed', state.slice);
  renderSteps();
  if (state.run && !state.listed.includes(state.at)) select(state.listed.findLast(i => i <= state.at) ?? state.listed[0]); else mark();
}
function toggleFold(at) {
  if (!state.opened.delete(at)) state.opened.add(at);
  renderSteps(); mark();
}
// The next fold behind the selected step, or the one that it is in.
function toggleNearestFold() {
  const folds = listedRows().filter(row => 'fold' in row);
  const fold = folds.findLast(row => row.fold <= state.at && state.at < row.until) || folds.find(row => row.fold > state.at) || folds[folds.length - 1];
  if (fold) toggleFold(fold.fold);
}
function throughLine(k) {
  const known = lineInfo.get(k);
  if (!known?.can) return;
  const when = known.conditions.length ? `An error path passes this line if ${known.conditions.map(c => c.map(string).join(' && ')).join(' or ')}.` : '';
  if (state.run?.finding !== undefined) state.before = state.run.finding;
  if (known.run !== null) {
    const run = state.run?.finding === known.run ? state.run : runOfFinding(known.run);
    const at = run.steps.findLastIndex(s => placeKey(s.file, s.line) === k);
    state.lineNote = `This line is on the run that was found. ${when}`;
    tab('run'); choose(run, at < 0 ? undefined : at);
    return;
  }
  state.over = k; state.lineNote = when; tab('run');
  if (known.path === null) { state.lineNote = `${k}: a path over this line is not in the page. ${when}`; renderSteps(); mark(); linked(k); return; }
  const run = runOfPath(known.path, k);
  choose(run, Math.max(run.steps.findIndex(s => placeKey(s.file, s.line) === k), 0));
}
function shadedLine(by) {
  const shaded = [...rows.keys()].filter(k => lineInfo.get(k)?.can);
  if (!shaded.length) return;
  const step = state.run?.steps[state.at], now = step ? shaded.indexOf(placeKey(step.file, step.line)) : -1;
  throughLine(shaded[now < 0 ? (by > 0 ? 0 : shaded.length - 1) : (now + by + shaded.length) % shaded.length]);
}
function linked(k) {
  document.querySelectorAll('.l.linked').forEach(row => row.classList.remove('linked'));
  const name = k.replace(/:\d+$/, ''), line = k.slice(name.length + 1);
  const found = rows.has(k) ? k : [...rows.keys()].find(key => key.endsWith(`/${name.split('/').pop()}:${line}`));
  if (found) toRow(found).classList.add('linked');
  return found;
}
// `#finding=2&step=17`, `#line=main.c:12`, `#tab=graph`.
function followLink(link) {
  const wanted = new URLSearchParams(link.slice(1));
  if (wanted.has('finding') || wanted.has('step')) {
    const number = wanted.has('finding') ? wanted.get('finding') - 1 : state.run?.finding ?? firstRun();
    chooseFinding(number, wanted.has('step') ? wanted.get('step') - 1 : undefined);
  }
  if (wanted.has('line')) linked(wanted.get('line'));
  if (TABS.some(([id]) => id === wanted.get('tab'))) tab(wanted.get('tab'));
}

function search(text) {
  state.query = text.trim().toLowerCase(); state.hit = -1;
  const hits = [];
  for (const [k, row] of rows) {
    const isHit = !!state.query && (row.children[2].textContent.toLowerCase().includes(state.query) || k.toLowerCase() === state.query);
    row.classList.toggle('hit', isHit);
    if (isHit) hits.push(k);
  }
  state.hits = hits;
  renderSteps();
  renderProjection();
  if (data.findings.length > 1) renderFindings();
  $('hits').textContent = state.query ? `${hits.length} lines, ${state.listed.length} steps` : '';
  if (hits.length) toRow(hits[0]); else mark();
}
function nextHit(by) {
  if (!state.hits?.length) return;
  state.hit = (state.hit + by + state.hits.length) % state.hits.length;
  linked(state.hits[state.hit]);
}
function clearSearch() { $('search').value = ''; search(''); $('search').blur(); mark(); }

const remembered = () => { try { return localStorage.getItem('gnomon-theme'); } catch { return null; } };
const preferred = () => remembered() || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
function themed(theme) {
  document.documentElement.dataset.theme = theme;
  $('theme').textContent = theme === 'dark' ? '☀ Light' : '☾ Dark';
  $('theme').title = 'Light or dark (d)';
}
function toggleTheme() {
  const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('gnomon-theme', theme); } catch { /* It is forgotten then. */ }
  themed(theme);
}
function toggleHeat() { const on = $('source').classList.toggle('heat'); $('heat')?.setAttribute('aria-pressed', on); }

function renderLegend() {
  const mark = (symbol, text, colour = '') => `<span class="key"><u${colour ? ` style="color:var(--${colour})"` : ''}>${symbol}</u>${text}</span>`;
  const swatch = (colours, text) => `<span class="key"><span class="scale">${colours.map(c => `<span class="swatch" style="background:var(--${c})"></span>`).join('')}</span>${text}</span>`;
  const parts = [];
  if (firstRun() >= 0) parts.push(mark('▶', 'selected step'), mark('•', 'on the run'), mark('✖', 'fails here', 'bad'));
  if (data.findings.some(f => f.unknown && f.place)) parts.push(mark('?', 'not decided here', 'open'));
  if ([...lineInfo.values()].some(known => known.holds)) parts.push(mark('⊢', 'holds whenever the line is passed', 'value'));
  if (data.projection) parts.push(swatch(['heat-mark1', 'heat-mark2', 'heat-mark3', 'heat-mark4'], 'can lie on an error path: on few … on many'), swatch(['safe-mark'], 'cannot'), '<button type="button" id="heat" aria-pressed="true">Heat <kbd>h</kbd></button>');
  $('legend').innerHTML = parts.join('') || '<span>No line is marked: there is no run and no projection.</span>';
  $('heat')?.addEventListener('click', toggleHeat);
}
function renderHeadline(finding) {
  const place = finding && placeOf(finding.place);
  const text = !finding ? data.verdict : finding.run ? finding.run.message : finding.proof ? `Proved: ${finding.proof.text}` : finding.unknown.reason;
  $('verdict').textContent = data.verdict; $('verdict').className = data.verdict;
  $('message').textContent = text + (place ? ` — ${place}` : '');
  $('subtitle').textContent = `${data.task.files.join(', ')} · ${data.task.property}`;
  $('subtitle').title = data.task.property;
  document.title = `${data.verdict}: ${data.task.files.join(', ')} — gnomon`;
}
const KEYS = [
  ['j, →', 'next step', ['j', 'ArrowRight'], () => go(1)], ['k, ←', 'previous step', ['k', 'ArrowLeft'], () => go(-1)],
  ['Home, End', 'first and last step', ['Home'], () => goToEnd(-1)], ['', '', ['End'], () => goToEnd(1)],
  ['s', 'only the steps that matter, or all', ['s'], toggleSlice], ['o', 'open or close the nearest folded loop', ['o'], toggleNearestFold],
  ['[, ]', 'previous and next finding with a run', ['['], () => nextFinding(-1)], ['', '', [']'], () => nextFinding(1)],
  ['n, p', 'a path over the next or previous line that can lie on an error path', ['n'], () => shadedLine(1)], ['', '', ['p'], () => shadedLine(-1)],
  ['r', 'back to the run that was found', ['r'], backToRun], ['h', 'heat on and off', ['h'], toggleHeat], ['d', 'light or dark', ['d'], toggleTheme],
  ['/', 'search lines and steps; Enter for the next line, Escape to end', ['/'], () => $('search').focus()],
  [`1 … ${TABS.length}`, 'the tabs', [], null], ['?', 'this help', ['?'], () => help()],
];
function help() {
  if ($('help').open) { $('help').close(); return; }
  const table = KEYS.filter(([keys]) => keys).map(([keys, text]) => `<tr><td>${keys.replace(/[^ ,…]+/g, k => `<kbd>${escapeHtml(k)}</kbd>`).replace(/,/g, '')}</td><td>${escapeHtml(text)}</td></tr>`).join('');
  $('help').innerHTML = `<h2 id="help-title">Keys</h2><table><tbody>${table}</tbody></table><p class="note" style="margin-top:10px">Links: <code>#step=17</code>, <code>#finding=2&amp;step=17</code>, <code>#line=main.c:12</code>, <code>#tab=graph</code>. The address follows the selected step.</p><form method="dialog"><button>Close</button></form>`;
  $('help').showModal();
}
function listen() {
  $('source').addEventListener('click', e => { const row = e.target.closest('.l.can, .l.step'); if (!row || getSelection().toString()) return; if (row.classList.contains('can')) throughLine(row.dataset.k); else select(state.run.steps.findLastIndex(s => placeKey(s.file, s.line) === row.dataset.k)); });
  $('steps').addEventListener('click', e => { const li = e.target.closest('li'); if (li?.dataset.fold) toggleFold(+li.dataset.fold); else if (li?.dataset.i) select(+li.dataset.i); });
  $('stack').addEventListener('click', e => { const button = e.target.closest('button'); if (button) select(+button.dataset.i); });
  $('findings')?.addEventListener('click', e => { const button = e.target.closest('button'); if (button) chooseFinding(+button.dataset.finding); });
  $('projection').addEventListener('click', e => { const button = e.target.closest('button'); if (button) throughLine(button.dataset.k); });
  for (const id of ['tree', 'svg']) $(id).addEventListener('click', e => { const node = e.target.closest('[data-k]'); if (node?.dataset.k) linked(node.dataset.k); });
  $('first').onclick = () => goToEnd(-1); $('last').onclick = () => goToEnd(1); $('next').onclick = () => go(1); $('previous').onclick = () => go(-1);
  $('slice').onclick = toggleSlice; $('back').onclick = backToRun; $('theme').onclick = toggleTheme; $('help-button').onclick = help;
  $('function').onchange = showGraph; $('larger').onclick = () => zoomBy(1.25); $('smaller').onclick = () => zoomBy(.8); $('fit').onclick = () => zoomTo(null);
  $('search').addEventListener('input', () => search($('search').value));
  $('search').addEventListener('keydown', e => { if (e.key === 'Enter') nextHit(e.shiftKey ? -1 : 1); if (e.key === 'Escape') clearSearch(); });
  $('tabs').addEventListener('click', e => { const button = e.target.closest('button'); if (button) tab(button.dataset.tab); });
  $('tabs').addEventListener('keydown', e => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    const now = TABS.findIndex(([id]) => id === currentTab()), [id] = TABS[(now + by + TABS.length) % TABS.length];
    tab(id); $(`tab-${id}`).focus(); e.stopPropagation(); e.preventDefault();
  });
  document.addEventListener('keydown', e => {
    if (['SELECT', 'INPUT'].includes(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey || ($('help').open && e.key !== '?')) return;
    const act = KEYS.find(([, , keys]) => keys.includes(e.key))?.[3] || (/^[1-9]$/.test(e.key) && TABS[e.key - 1] && (() => tab(TABS[e.key - 1][0])));
    if (act) { act(); e.preventDefault(); }
  });
  addEventListener('hashchange', () => followLink(location.hash));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => themed(preferred()));
}

themed(preferred());
$('tabs').innerHTML = TABS.map(([id, name]) => `<button type="button" role="tab" id="tab-${id}" data-tab="${id}" aria-controls="${id}">${name}${id === 'findings' ? ` (${data.findings.length})` : ''}</button>`).join('');
$('function').innerHTML = Object.keys(data.graphs).map(n => `<option>${escapeHtml(n)}</option>`).join('');
if (data.findings.length < 2) $('findings').remove();
collectLines();
renderSource();
renderLegend();
$('source').classList.toggle('heat', !!data.projection);
renderAbout(); renderProjection(); renderTree(); renderStatistics();
listen();
renderSteps();
// It opens at the failure, unless its address says where.
const openedWith = location.hash;
const opensAt = firstRun() >= 0 ? firstRun() : Math.max(data.findings.findIndex(f => f.verdict !== 'TRUE'), 0);
chooseFinding(opensAt);
if (data.findings.length > 1) tab('findings');
followLink(openedWith);
document.documentElement.dataset.ready = Math.round(performance.now());
