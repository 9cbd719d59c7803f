'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const escape = text => String(text).replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]));
const report = data.report;

// The runs and paths that can be stepped through: one step is {file, line, depth, text, essential}.
const runs = [];
for (const finding of report.findings) {
  const run = finding.answer.violated;
  if (!run) continue;
  const notes = run.slice ? [`${run.slice.kept} of ${run.slice.steps} steps matter`] : [];
  notes.push(...(run.threads || []).map((name, i) => `T${i} is ${name}`));
  runs.push({ title: run.message, note: notes.join(', '), place: run.location ? `${run.location.file}:${run.location.line}` : '',
    steps: merged(run.steps.map(s => ({ file: s.location.file, line: s.location.line, depth: s.depth, text: describe(s), essential: s.essential, thread: s.thread ?? null }))) });
}
// Steps in a row on one line are one, unless only one of them matters.
function merged(steps) {
  const lines = [];
  for (const step of steps) {
    const last = lines[lines.length - 1];
    if (last && ['file', 'line', 'depth', 'thread', 'essential'].every(k => last[k] === step[k])) last.text = [last.text, step.text].filter(t => t).join(', ');
    else lines.push(step);
  }
  return lines;
}
function describe(step) {
  const parts = [];
  const [kind, value] = typeof step.action === 'string' ? [step.action, ''] : Object.entries(step.action)[0];
  if (kind === 'condition') parts.push(`[${value}]`);
  if (kind === 'call' && !step.stored.some(s => s['is-input'])) parts.push(`calls ${value}`);
  if (kind === 'back') parts.push(`back from ${value}`);
  if (kind === 'return') parts.push('returns');
  for (const s of step.stored) parts.push(`${s.place} = ${s.value}${s['is-input'] ? ' (input)' : ''}`);
  return parts.join(', ');
}

const state = { run: runs[0] || null, at: -1, slice: true };
const key = (file, line) => `${file}:${line}`;
const projected = new Map(), known = new Set();
if (data.projection) {
  for (const p of data.projection.lines) projected.set(key(p.file, p.line), p);
  for (const [file, line] of data.projection.all) known.add(key(file, line));
}
const invariants = new Map();
for (const finding of report.findings)
  for (const i of (finding.answer.proved || { invariants: [] }).invariants)
    if (i.location && i.formula !== 'true') {
      const k = key(i.location.file, i.location.line);
      invariants.set(k, (invariants.get(k) || []).concat(i.formula));
    }

function renderSource() {
  const html = [];
  for (const [file, text] of Object.entries(data.sources)) {
    html.push(`<div class="file">${escape(file)}</div>`);
    text.split('\n').forEach((line, index) => {
      const k = key(file, index + 1);
      const kind = projected.has(k) ? ' can' : known.has(k) ? ' cannot' : '';
      const holds = invariants.get(k);
      const title = holds ? ` title="holds here: ${escape(holds.join('\n'))}"` : '';
      html.push(`<div class="l${kind}" data-k="${escape(k)}"${title}><b>${index + 1}</b><span>${escape(line)}</span><i>${holds ? '⊢ ' + escape(holds[0].slice(0, 90)) : ''}</i></div>`);
    });
  }
  $('source').innerHTML = html.join('');
}
const rows = new Map();
function rowOf(step) { return rows.get(key(step.file, step.line)); }

function visible() {
  if (!state.run) return [];
  return state.run.steps.map((s, i) => [s, i]).filter(([s]) => !state.slice || s.essential);
}
function renderSteps() {
  const list = $('steps');
  if (!state.run) { list.innerHTML = '<li class="note">There is no run to step through.</li>'; $('run-title').textContent = ''; return; }
  $('run-title').textContent = state.run.title + (state.run.note ? ` (${state.run.note})` : '');
  const left = state.run.left ? `<li class="note">… ${state.run.left} lines are left out in the middle</li>` : '';
  list.innerHTML = left + visible().map(([s, i]) =>
    `<li data-i="${i}" class="${s.essential ? '' : 'out'}" style="padding-left:${6 + 12 * (s.depth - 1) + 60 * (s.thread || 0)}px"><b>${s.thread != null ? `T${s.thread} ` : ''}${escape(s.file.split('/').pop())}:${s.line}</b>  ${escape(sourceLine(s.file, s.line).slice(0, 70))} <i>${escape(s.text)}</i></li>`).join('');
}
function mark() {
  document.querySelectorAll('.l.step, .l.now, li.now').forEach(e => e.classList.remove('step', 'now'));
  document.querySelectorAll('.l i[data-v]').forEach(e => { e.textContent = e.dataset.v; delete e.dataset.v; });
  if (!state.run) return;
  for (const [s] of visible()) { const row = rowOf(s); if (row) row.classList.add('step'); }
  const step = state.run.steps[state.at];
  if (!step) return;
  const item = document.querySelector(`#steps li[data-i="${state.at}"]`);
  if (item) { item.classList.add('now'); item.scrollIntoView({ block: 'nearest' }); }
  const row = rowOf(step);
  if (row) {
    row.classList.add('now'); row.scrollIntoView({ block: 'center' });
    const i = row.querySelector('i'); i.dataset.v = i.textContent;
    i.textContent = step.text;
  }
}
function go(by) {
  const order = visible().map(([, i]) => i);
  if (!order.length) return;
  const now = order.indexOf(state.at);
  const next = now < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(Math.max(now + by, 0), order.length - 1);
  state.at = order[next]; mark();
}
function choose(run) { state.run = run; state.at = -1; renderSteps(); mark(); }
function shadedLine(by) {
  const marked = [...projected.keys()].filter(k => rows.has(k));
  if (!marked.length) return;
  const step = state.run && state.run.steps[state.at];
  const now = step ? marked.indexOf(key(step.file, step.line)) : -1;
  const next = now < 0 ? (by > 0 ? 0 : marked.length - 1) : (now + by + marked.length) % marked.length;
  throughLine(marked[next]);
}
function toggleSlice() { state.slice = !state.slice; $('slice').setAttribute('aria-pressed', state.slice); renderSteps(); mark(); }
function tab(name) {
  document.querySelectorAll('section').forEach(s => s.classList.toggle('on', s.id === name));
  document.querySelectorAll('#tabs button').forEach(b => b.setAttribute('aria-selected', b.dataset.tab === name));
  if (name === 'graph' && !$('svg').innerHTML) showGraph();
}
function showGraph() {
  const svg = data.graphs[$('function').value];
  $('svg').innerHTML = svg || '<p class="note">This function is too large to draw.</p>';
}
const sourceLines = new Map();
function sourceLine(file, line) {
  if (!sourceLines.has(file)) sourceLines.set(file, (data.sources[file] || '').split('\n'));
  return (sourceLines.get(file)[line - 1] || '').trim();
}
// Many lines lie on one path: the run of a path is made when it is first asked for.
const pathRuns = new Map();
function runOfPath(number, k) {
  const path = data.projection.paths[number];
  const kind = path['ends-in-error'] ? 'an error path' : 'a path to something unsupported';
  if (!pathRuns.has(number)) pathRuns.set(number, { left: path['left-out'],
    steps: path.steps.map(([file, line, depth, text, essential]) => ({ file: data.projection.files[file], line, depth, text, essential })) });
  const run = pathRuns.get(number);
  run.title = `${kind} over ${k}`;
  run.note = path.feasibility + (path['no-values'] === null ? ', executed' : '');
  return run;
}
const SHOWN_INPUTS = 20;
function whenItFails(path) {
  if (path['no-values'] !== null) return `No values: ${path['no-values']}.`;
  if (!path.inputs.length) return 'It fails whatever comes from outside.';
  const inputs = path.inputs.slice(0, SHOWN_INPUTS).map(i => `${i.place} = ${i.value} (line ${i.line})`);
  const more = path.inputs.length - inputs.length;
  return `It fails with the inputs ${inputs.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
function throughLine(k) {
  const p = projected.get(k);
  if (!p) return;
  const on = p.conditions.length ? `An error path passes this line if ${p.conditions.map(c => c.join(' && ')).join(' or ')}.` : '';
  if (p.path === null) { $('line-note').textContent = `${k}: a path over this line is not in the page. ${on}`; tab('run'); return; }
  const path = data.projection.paths[p.path];
  $('line-note').textContent = `${whenItFails(path)} ${on}`;
  choose(runOfPath(p.path, k));
  tab('run');
  let at = state.run.steps.findIndex(s => key(s.file, s.line) === k);
  // A line that the slice leaves out is shown all the same: it was asked for.
  if (at >= 0 && state.slice && !state.run.steps[at].essential) toggleSlice();
  state.at = Math.max(at, 0); mark();
}

function plot(points, label) {
  if (points.length < 2) return '';
  const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
  const mx = Math.max(...xs) || 1, my = Math.max(...ys) || 1;
  const path = points.map((p, i) => `${i ? 'L' : 'M'}${30 + 260 * p[0] / mx},${120 - 105 * p[1] / my}`).join('');
  return `<h3>${escape(label)}</h3><svg class="plot" viewBox="0 0 300 140"><path d="${path}"/><text x="2" y="18">${my}</text><text x="30" y="136">0 s</text><text x="262" y="136">${mx.toFixed(1)} s</text></svg>`;
}
function bars(counts, label) {
  const most = Math.max(...counts, 1);
  if (!counts.length) return '';
  const w = 270 / counts.length;
  return `<h3>${escape(label)}</h3><svg class="plot" viewBox="0 0 300 140">` + counts.map((c, i) =>
    `<rect x="${25 + w * i}" y="${120 - 105 * c / most}" width="${Math.max(w - 2, 1)}" height="${105 * c / most}"/><text x="${25 + w * i}" y="134">${i}</text>`).join('') + `<text x="2" y="18">${most}</text></svg>`;
}
function renderStatistics() {
  const number = n => Number.isInteger(n) ? n : n.toFixed(2);
  const table = entries => '<table>' + entries.map(([n, v]) => `<tr><td>${escape(n)}</td><td>${number(v)}</td></tr>`).join('') + '</table>';
  const sizes = report.findings.flatMap(f => (f.answer.proved || { invariants: [] }).invariants.map(i => i.predicates));
  const histogram = sizes.length ? Array.from({ length: Math.min(Math.max(...sizes), 40) + 1 }, (_, n) => sizes.filter(s => s === n).length) : [];
  let html = '';
  for (const [phase, times] of Object.entries(data.timeline))
    html += plot(times.map((t, i) => [t, i + 1]), phase === 'refine' ? 'refinements against time' : `${phase}: reports against time`);
  html += bars(histogram, 'places by number of predicates');
  html += table(Object.entries(report.counts)) + '<h3>Seconds</h3>' + table(Object.entries(report.seconds));
  $('statistics').innerHTML = html;
}
function renderTree() {
  if (!data.tree.length) { $('tree').innerHTML = '<p class="note">No reachability tree: lazy abstraction did not explore the program.</p>'; return; }
  const children = data.tree.map(() => []);
  data.tree.forEach((n, i) => { if (n.parent !== null) children[n.parent].push(i); });
  const label = (n, i) => `<span data-k="${n.place ? escape(key(...n.place)) : ''}">${i}: ${escape(n.place ? key(...n.place) : n.function)} <code>${escape(n.region)}</code>` +
    (n['covered-by'] !== null ? ` <span class="note">covered by ${n['covered-by']}</span>` : '') + (n.waits ? ' <span class="note">still to be expanded</span>' : '') + '</span>';
  // Chains stay on one level, so that deep trees can be read; a list of work, since trees are deep.
  const out = [];
  const work = data.tree.flatMap((n, i) => n.parent === null ? [[i, 0]] : []).reverse();
  while (work.length) {
    const [i, depth] = work.pop();
    out.push(`<li style="padding-left:${Math.min(depth, 40) * 12 + 6}px">${label(data.tree[i], i)}</li>`);
    const deeper = children[i].length > 1 ? depth + 1 : depth;
    for (const child of children[i].slice().reverse()) work.push([child, deeper]);
  }
  $('tree').innerHTML = `<p class="note">${data.tree.length} nodes: a place, and the states in which the program can be there. Click one to see its line.</p><ol>${out.join('')}</ol>`;
}
function certified(state) {
  const [kind, value] = typeof state === 'string' ? [state, ''] : Object.entries(state)[0];
  return { accepted: 'The independent checker accepts the proof.', 'accepted-trusting': `The independent checker accepts the proof, trusting ${value} facts about pointers.`,
    'not-decided': `The independent checker has no answer: ${value}.` }[kind] || '';
}
function executed(state) {
  const [kind, value] = typeof state === 'string' ? [state, ''] : Object.entries(state)[0];
  return { confirmed: 'Confirmed by execution.', 'not-confirmed': `Not confirmed by execution: ${value}.` }[kind] || '';
}
function renderAbout() {
  const f = report.findings.map(f => {
    const a = f.answer;
    if (a.proved) return `<p><b class="TRUE">TRUE</b> ${escape(f.what)}: ${escape(a.proved.text)}. ${escape(certified(a.proved.certificate))}</p>`;
    if (a.violated) return `<p><b class="FALSE">FALSE</b> ${escape(a.violated.message)}. ${escape(executed(a.violated.execution))}</p>`;
    return `<p><b class="UNKNOWN">UNKNOWN</b> ${escape(a.unknown.reason)}</p>` + a.unknown.partial.concat(a.unknown.advice.map(x => 'try: ' + x)).map(x => `<p class="note">${escape(x)}</p>`).join('');
  });
  const assumed = report.assumptions.map(a => `<li>${escape(a.text)}${a.place ? ' (' + escape(a.place) + ')' : ''}</li>`).join('');
  const shaded = data.projection ? `<p class="note">${data.projection.lines.length} of ${data.projection.all.length} lines can lie on an error path (shaded); click one to see such a path. The others cannot.</p>` : `<p class="note">${escape(data['no-projection'] || '')}</p>`;
  $('about').innerHTML = f.join('') + shaded + (assumed ? `<h3>Assumed</h3><ul>${assumed}</ul>` : '') +
    '<p class="note">Keys: → or j next step, ← or k previous step, s slice on and off, n and p a path over the next or previous shaded line, r the run that was found, 1 to 5 the tabs.</p>';
}

renderSource();
document.querySelectorAll('.l').forEach(row => rows.set(row.dataset.k, row));
$('verdict').textContent = report.verdict; $('verdict').className = report.verdict;
$('files').textContent = report.task.files.map(f => f.name).join(', ');
$('property').textContent = report.task.property;
$('function').innerHTML = Object.keys(data.graphs).map(n => `<option>${escape(n)}</option>`).join('');
renderSteps(); renderAbout(); renderStatistics(); renderTree(); mark(); tab(runs.length ? 'run' : 'about');
$('source').addEventListener('click', e => { const row = e.target.closest('.l.can'); if (row) throughLine(row.dataset.k); });
$('tree').addEventListener('click', e => { const node = e.target.closest('li')?.querySelector('[data-k]'), row = node && rows.get(node.dataset.k); if (row) row.scrollIntoView({ block: 'center' }); });
$('steps').addEventListener('click', e => { const li = e.target.closest('li[data-i]'); if (li) { state.at = +li.dataset.i; mark(); } });
$('next').onclick = () => go(1); $('previous').onclick = () => go(-1); $('slice').onclick = toggleSlice;
const found = () => { $('line-note').textContent = ''; choose(runs[+$('which').value] || null); };
$('which').innerHTML = runs.map((r, i) => `<option value="${i}">${escape(r.title)}${r.place ? ', ' + escape(r.place) : ''}</option>`).join('');
$('which').hidden = runs.length < 2;
$('back').onclick = found; $('which').onchange = found;
$('function').onchange = showGraph;
document.querySelectorAll('#tabs button').forEach(b => b.onclick = () => tab(b.dataset.tab));
document.addEventListener('keydown', e => {
  if (e.target.tagName === 'SELECT' || e.ctrlKey || e.metaKey || e.altKey) return;
  const act = { ArrowRight: () => go(1), j: () => go(1), ArrowLeft: () => go(-1), k: () => go(-1), s: toggleSlice, n: () => shadedLine(1), p: () => shadedLine(-1), r: found,
    1: () => tab('run'), 2: () => tab('about'), 3: () => tab('graph'), 4: () => tab('statistics'), 5: () => tab('tree') }[e.key];
  if (act) { act(); e.preventDefault(); }
});
document.documentElement.dataset.ready = Math.round(performance.now());
