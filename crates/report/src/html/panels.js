// What stands beside the source: findings, steps, memory, verdict, projection, tree, statistics.
const verdictBadge = verdict => `<span class="badge ${verdict}">${verdict}</span>`;
const placeOf = place => place ? placeKey(data.files[place[0]], place[1]) : '';
const matches = text => !state.query || text.toLowerCase().includes(state.query);

function renderFindings() {
  const tally = ['FALSE', 'UNKNOWN', 'TRUE'].map(v => [v, data.findings.filter(f => f.verdict === v).length]).filter(([, n]) => n);
  const items = data.findings.map((f, i) => [f, i]).filter(([f]) => matches(`${f.what} ${f.run?.message || ''} ${placeOf(f.place)} ${f.verdict}`));
  const order = { FALSE: 0, UNKNOWN: 1, TRUE: 2 };
  items.sort(([a], [b]) => order[a.verdict] - order[b.verdict]);
  $('findings').innerHTML = `<p>${tally.map(([v, n]) => `${verdictBadge(v)} ${n}`).join(' &nbsp; ')}</p><ul class="rows">` + items.map(([f, i]) =>
    `<li><button type="button" data-finding="${i}" aria-current="${state.run?.finding === i}">${verdictBadge(f.verdict)}<span class="what">${escapeHtml(f.run ? f.run.message : f.what)}${f.unknown ? `<br><span class="note">${escapeHtml(f.unknown.reason)}</span>` : ''}</span><span class="note mono">${escapeHtml(placeOf(f.place))}</span></button></li>`).join('') + '</ul>';
}

function visibleSteps() {
  const all = state.run ? state.run.steps.map((_, i) => i) : [];
  return state.slice ? all.filter(i => state.run.steps[i].essential) : all;
}
// The rows of the list, with what the user opened, and without what the search does not ask for.
function listedRows() {
  const { run } = state, shown = visibleSteps();
  if (state.query) return shown.filter(i => matches(`${run.steps[i].file}:${run.steps[i].line} ${run.steps[i].text} ${sourceLine(run.steps[i].file, run.steps[i].line)}`)).map(at => ({ at }));
  const out = [];
  const work = foldedRows(run, shown).reverse();
  while (work.length) {
    const row = work.pop();
    out.push(row);
    if ('fold' in row && state.opened.has(row.fold)) work.push(...row.rows().reverse());
  }
  return out;
}
function renderSteps() {
  const { run } = state;
  $('run-title').textContent = run ? run.title : 'There is no run to step through.';
  $('run-note').textContent = run ? [run.note, state.lineNote].filter(t => t).join(' ') : '';
  for (const id of ['first', 'previous', 'next', 'last', 'slice']) $(id).disabled = !run;
  $('back').hidden = !run || run.finding !== undefined || firstRun() < 0;
  if (!run) { $('steps').innerHTML = '<li role="treeitem" aria-level="1" class="gap">No run.</li>'; state.listed = []; return; }
  const listed = listedRows(), end = run.steps.length - 1, out = [];
  let isBefore = true;
  for (const row of listed) {
    if ('fold' in row) {
      const isOpen = state.opened.has(row.fold);
      out.push(`<li role="treeitem" aria-level="${row.depth}" aria-expanded="${isOpen}" class="fold" data-fold="${row.fold}"><b></b><span style="padding-left:${14 * (row.depth - 1)}px">${isOpen ? '▾' : '▸'} ${row.count} more iterations</span></li>`);
      continue;
    }
    const s = run.steps[row.at];
    if (run.leftOut && isBefore && row.at >= run.cut) { isBefore = false; out.push(`<li role="treeitem" aria-level="1" class="gap"><b></b><span>… ${run.leftOut} steps are left out here</span></li>`); }
    out.push(`<li role="treeitem" id="step-${row.at + 1}" aria-level="${s.depth}" aria-selected="false" data-i="${row.at}" class="${s.essential ? '' : 'out'}${row.at === end ? ' end' : ''}"><b>${row.at + 1}</b><em>${s.thread !== null ? `T${s.thread} ` : ''}${data.sources.length > 1 ? escapeHtml(s.file.split('/').pop()) + ':' : 'line '}${s.line}</em><span style="padding-left:${14 * (s.depth - 1) + 40 * (s.thread || 0)}px">${escapeHtml(sourceLine(s.file, s.line).slice(0, 80))}</span><i>${escapeHtml(s.text)}</i></li>`);
  }
  $('steps').innerHTML = out.join('') || '<li role="treeitem" aria-level="1" class="gap">No step matches the search.</li>';
  state.listed = listed.flatMap(row => 'at' in row ? [row.at] : []);
}

function variableRows(vars, at) {
  return [...vars].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })).map(([place, v]) => {
    const isNew = v.at === at, was = isNew && v.was !== undefined && v.was !== v.value ? ` <span class="was">was ${escapeHtml(v.was)}</span>` : '';
    return `<tr${isNew ? ' class="changed"' : ''}><th scope="row">${escapeHtml(place)}</th><td>${escapeHtml(v.value)}${v.input ? '<span class="tag">input</span>' : ''}${was}${isNew ? '<span class="tag">stored now</span>' : ''}</td><td>line ${v.line}</td></tr>`;
  }).join('');
}
function renderMemory() {
  const { run, at } = state;
  if (!run || !run.steps[at] || !run.hasValues) {
    $('stack').innerHTML = ''; $('variables').innerHTML = `<p class="note">${run && !run.hasValues ? 'The values of a path stand beside its steps.' : 'No step is selected.'}</p>`;
    return;
  }
  const { stack, globals } = stateAt(run, at);
  $('stack').innerHTML = stack.map((frame, i) => {
    const to = i === stack.length - 1 ? at : frame.at, step = run.steps[to];
    return `<li><button type="button" data-i="${to}" class="mono${i === stack.length - 1 ? ' inner' : ''}">${escapeHtml(frame.fn)} <span class="note">${frame.fn === '…' ? '' : `line ${step.line}`}</span></button></li>`;
  }).reverse().join('');
  const group = (caption, vars) => vars.size ? `<tbody><tr><th colspan="3" scope="rowgroup" class="group">${escapeHtml(caption)}</th></tr>${variableRows(vars, at)}</tbody>` : '';
  const groups = stack.slice().reverse().map((frame, i) => group(i ? `${frame.fn} (caller)` : frame.fn, frame.vars));
  groups.splice(1, 0, group('global', globals));
  $('variables').innerHTML = groups.join('') ? `<table><thead><tr><th scope="col">name</th><th scope="col">value</th><th scope="col">stored in</th></tr></thead>${groups.join('')}</table>` : '<p class="note">Nothing has been stored so far.</p>';
}

function certified([kind, value]) {
  return { accepted: 'The independent checker accepts the proof.', 'accepted-trusting': `The independent checker accepts the proof, trusting ${value} facts about pointers.`,
    'not-decided': `The independent checker has no answer: ${value}.` }[kind] || '';
}
function executed([kind, value]) {
  return { confirmed: 'Confirmed by executing the compiled program.', 'not-confirmed': `Not confirmed by executing the compiled program: ${value}.` }[kind] || '';
}
const jump = (k, text) => rows.has(k) ? `<a href="#line=${encodeURIComponent(k)}">${escapeHtml(text)}</a>` : escapeHtml(text);
function findingCard(f) {
  const place = placeOf(f.place), where = place ? ` <span class="mono">${jump(place, place)}</span>` : '';
  if (f.proof) {
    const holds = f.proof.invariants.map(([file, line, formula]) => `<tr><td class="mono">${jump(placeKey(data.files[file], line), placeKey(data.files[file], line))}</td><td><code>${escapeHtml(string(formula))}</code></td></tr>`).join('');
    const more = f.proof.more ? `<p class="note">${f.proof.more} more are not in the page.</p>` : '';
    return `<div class="card"><p>${verdictBadge('TRUE')} ${escapeHtml(f.proof.text)}${where}</p><p class="note">${escapeHtml(certified(f.proof.certificate))}</p>${holds ? `<h2>What holds whenever a place is passed</h2><table class="places"><tbody>${holds}</tbody></table>${more}` : ''}</div>`;
  }
  if (f.run) return `<div class="card"><p>${verdictBadge('FALSE')} ${escapeHtml(f.run.message)}${where}</p><p class="note">${escapeHtml(executed(f.run.execution))} ${f.run.slice ? escapeHtml(f.run.slice[2]) : ''}</p></div>`;
  const advice = f.unknown.advice.map(x => `<li>${escapeHtml(x)}</li>`).join(''), partial = f.unknown.partial.map(x => `<li>${escapeHtml(x)}</li>`).join('');
  return `<div class="card"><p>${verdictBadge('UNKNOWN')} ${escapeHtml(f.unknown.reason)}${where}</p>${advice ? `<h2>What you can try</h2><ul>${advice}</ul>` : ''}${partial ? `<h2>What is known, and what is left to do</h2><ul>${partial}</ul>` : ''}</div>`;
}
const SHOWN_CARDS = 50;
function renderAbout() {
  const cards = data.findings.slice(0, SHOWN_CARDS).map(findingCard);
  if (data.findings.length > SHOWN_CARDS) cards.push('<p class="note">The tab Findings has them all.</p>');
  const assumed = data.assumptions.map(([text, place]) => `<li>${escapeHtml(text)}${place ? ` <span class="mono note">${escapeHtml(place)}</span>` : ''}</li>`).join('');
  const facts = [['property', data.task.property], ['entry', data.task.entry], ['files', data.task.files.join(', ')], ['data model', data.task['data-model']], ['decided by', data.engine || (data.verdict === 'UNKNOWN' ? 'nobody' : 'no engine was needed')], ['made by', data.tool]];
  $('about').innerHTML = cards.join('') + (assumed ? `<div class="card"><h2>Assumed</h2><ul>${assumed}</ul></div>` : '') +
    `<div class="card"><h2>What was asked</h2><table class="places"><tbody>${facts.map(([n, v]) => `<tr><th scope="row">${n}</th><td class="mono">${escapeHtml(v)}</td></tr>`).join('')}</tbody></table></div>` +
    (data['left-out'].length ? `<p class="note">Left out because the page would become too large: ${escapeHtml(data['left-out'].join(', '))}.</p>` : '');
}

function renderProjection() {
  if (!data.projection) { $('projection').innerHTML = `<div class="card"><p>${escapeHtml(data['no-projection'] || 'There is no error projection.')}</p></div>`; return; }
  const can = data.projection.lines.length, cannot = data.projection.others.reduce((n, [, lines]) => n + lines.length, 0);
  const lines = data.projection.lines.filter(([file, line]) => matches(`${placeKey(data.files[file], line)} ${sourceLine(data.files[file], line)}`));
  const SHOWN = 500;
  $('projection').innerHTML = `<div class="card"><p><b>${can}</b> of ${can + cannot} lines with code can lie on an error path.${cannot ? ' It is proved that the others cannot.' : ''}</p><p class="note">The more error paths pass a line, the hotter it is. Choose a line to see a path over it.</p></div><ul class="rows">` +
    lines.slice(0, SHOWN).map(([file, line, conditions, , run]) => {
      const k = placeKey(data.files[file], line), heat = lineInfo.get(k).heat;
      const when = run !== null ? 'on the run that was found' : conditions.length ? `if ${conditions.map(c => c.map(string).join(' && ')).join(' or ')}` : '';
      return `<li><button type="button" data-k="${escapeHtml(k)}"><span class="note mono">${escapeHtml(k)}</span><span class="what mono">${escapeHtml(sourceLine(data.files[file], line).slice(0, 90))}${when ? `<br><span class="note">${escapeHtml(when.slice(0, 300))}</span>` : ''}</span><span class="bar" role="img" aria-label="heat ${heat} of ${HEATS}"><span style="width:${100 * heat / HEATS}%"></span></span></button></li>`;
    }).join('') + '</ul>' + (lines.length > SHOWN ? `<p class="note">${lines.length - SHOWN} more; search to see them.</p>` : '');
}

function renderTree() {
  if (!data.tree.length) { $('tree').innerHTML = `<div class="card"><p>${escapeHtml(data['no-tree'])}</p></div>`; return; }
  const children = data.tree.map(() => []);
  data.tree.forEach(([parent], i) => { if (parent !== null) children[parent].push(i); });
  const label = ([, file, line, fn, region, covered, waits], i) => {
    const k = file === null ? '' : placeKey(data.files[file], line);
    return `<button type="button" data-k="${escapeHtml(k)}">${i}: ${escapeHtml(k || string(fn))} <code>${escapeHtml(string(region))}</code>` +
      (covered !== null ? ` <span class="note">covered by ${covered}</span>` : '') + (waits ? ' <span class="note">not yet expanded when the verdict was reached</span>' : '') + '</button>';
  };
  // Chains stay on one level, so that deep trees can be read; a list of work, since trees are deep.
  const out = [];
  const work = data.tree.flatMap(([parent], i) => parent === null ? [[i, 0]] : []).reverse();
  while (work.length) {
    const [i, depth] = work.pop();
    out.push(`<li style="padding-left:${Math.min(depth, 40) * 12}px">${label(data.tree[i], i)}</li>`);
    const deeper = children[i].length > 1 ? depth + 1 : depth;
    for (const child of children[i].slice().reverse()) work.push([child, deeper]);
  }
  $('tree').innerHTML = `<p class="note">${data.tree.length} nodes of the reachability tree: a place, and the states in which the program can be there. Choose one to see its line.</p><ol>${out.join('')}</ol>`;
}

function plot(points, label) {
  if (points.length < 2) return '';
  const mx = Math.max(...points.map(p => p[0])) || 1, my = Math.max(...points.map(p => p[1])) || 1;
  const path = points.map((p, i) => `${i ? 'L' : 'M'}${(30 + 260 * p[0] / mx).toFixed(1)},${(120 - 105 * p[1] / my).toFixed(1)}`).join('');
  return `<h2>${escapeHtml(label)}</h2><svg class="plot" viewBox="0 0 300 140" role="img" aria-label="${escapeHtml(label)}: ${my} after ${mx.toFixed(1)} seconds"><path d="${path}"/><text x="2" y="18">${my}</text><text x="30" y="136">0 s</text><text x="262" y="136">${mx.toFixed(1)} s</text></svg>`;
}
function bars(counts, label) {
  const most = Math.max(...counts, 1);
  if (!counts.length) return '';
  const w = 270 / counts.length;
  return `<h2>${escapeHtml(label)}</h2><svg class="plot" viewBox="0 0 300 140" role="img" aria-label="${escapeHtml(label)}: ${counts.join(', ')}">` + counts.map((c, i) =>
    `<rect x="${25 + w * i}" y="${120 - 105 * c / most}" width="${Math.max(w - 2, 1)}" height="${105 * c / most}"/><text x="${25 + w * i}" y="134">${i}</text>`).join('') + `<text x="2" y="18">${most}</text></svg>`;
}
function renderStatistics() {
  const number = n => Number.isInteger(n) ? n : n.toFixed(2);
  const table = (caption, entries) => `<h2>${caption}</h2><table class="number"><tbody>` + entries.map(([n, v]) => `<tr><th scope="row">${escapeHtml(n)}</th><td>${number(v)}</td></tr>`).join('') + '</tbody></table>';
  let html = Object.entries(data.timeline).map(([phase, times]) => plot(times, phase === 'refine' ? 'Refinements against time' : `${phase}: reports against time`)).join('');
  html += bars(data.predicates, 'Places by number of predicates');
  $('statistics').innerHTML = html + table('Seconds', Object.entries(data.seconds)) + table('Counts', Object.entries(data.counts));
}
