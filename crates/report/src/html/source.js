// The source, line by line, with what is known of each line.
const rows = new Map();
const lineInfo = new Map();
const lineTexts = data.sources.map(text => text === null ? [] : text.replace(/\n$/, '').split('\n'));
const sourceLine = (file, line) => (lineTexts[data.files.indexOf(file)]?.[line - 1] || '').trim();
const BLOCK = 200;
// Longer sources get their colours where they are looked at.
const COLOURED_AT_ONCE = 2000;
const HEATS = 4;

// How hot a line is: on how many of the paths of the projection it lies.
function collectLines() {
  const info = k => lineInfo.get(k) || lineInfo.set(k, { heat: 0 }).get(k);
  if (data.projection) {
    const passed = new Map(), over = data.projection.paths.map(path => new Set(path.steps.map(([file, line]) => placeKey(data.files[file], line))));
    for (const [file, line, , path] of data.projection.lines) if (path !== null) over[path].add(placeKey(data.files[file], line));
    for (const lines of over) for (const k of lines) passed.set(k, (passed.get(k) || 0) + 1);
    const most = [...passed.values()].reduce((a, b) => Math.max(a, b), 1);
    for (const [file, line, conditions, path, run] of data.projection.lines) {
      const k = placeKey(data.files[file], line);
      const heat = Math.max(1, Math.ceil(HEATS * (passed.get(k) || 0) / most));
      Object.assign(info(k), { can: true, conditions, path, run, heat: run !== null ? HEATS : heat });
    }
    for (const [file, lines] of data.projection.others)
      for (const line of lines) info(placeKey(data.files[file], line)).cannot = true;
  }
  data.findings.forEach((finding, number) => {
    for (const [file, line, formula] of finding.proof?.invariants || []) {
      const known = info(placeKey(data.files[file], line));
      known.holds = (known.holds || []).concat(string(formula));
    }
    if (finding.place && finding.verdict !== 'TRUE') {
      const known = info(placeKey(data.files[finding.place[0]], finding.place[1]));
      known.findings = (known.findings || []).concat(number);
    }
  });
}
function rowTitle(known) {
  const parts = [];
  if (known.holds) parts.push(`holds here: ${known.holds.join('\n')}`);
  if (known.run !== null && known.run !== undefined) parts.push('on the run that was found');
  else if (known.can) parts.push('can lie on an error path: click for one');
  if (known.cannot) parts.push('cannot lie on an error path');
  return parts.join('\n');
}
const colours = new Map();
function colourBlock(block) {
  const file = +block.dataset.file, first = +block.dataset.first;
  if (!colours.has(file)) colours.set(file, highlighted(lineTexts[file].join('\n')));
  let line = first;
  for (const row of block.children) if (row.classList.contains('l')) row.children[2].innerHTML = colours.get(file)[line++];
}
function colourSource() {
  const blocks = [...document.querySelectorAll('.block')];
  if (lineTexts.reduce((n, lines) => n + lines.length, 0) <= COLOURED_AT_ONCE) { blocks.forEach(colourBlock); return; }
  const seen = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) { seen.unobserve(target); colourBlock(target); }
  }, { root: $('source'), rootMargin: '400px' });
  blocks.forEach(block => seen.observe(block));
}
function renderSource() {
  const html = [];
  data.files.forEach((file, number) => {
    if (data.sources[number] === null) return;
    html.push(`<div class="file">${escapeHtml(file)}</div>`);
    lineTexts[number].forEach((line, index, all) => {
      const k = placeKey(file, index + 1), known = lineInfo.get(k) || {};
      if (index % BLOCK === 0) html.push(`${index ? '</div>' : ''}<div class="block" data-file="${number}" data-first="${index}" style="contain-intrinsic-height:${1.6 * Math.min(BLOCK, all.length - index)}em">`);
      const kind = known.can ? ` can heat${known.heat}` : known.cannot ? ' cannot' : '';
      const title = rowTitle(known);
      const holds = known.holds ? '⊢ ' + escapeHtml(known.holds[0].slice(0, 90)) : '';
      html.push(`<div class="l${kind}" data-k="${escapeHtml(k)}"${title ? ` title="${escapeHtml(title)}"` : ''}><b>${index + 1}</b><u></u><span>${escapeHtml(line)}</span><i>${holds}</i></div>`);
    });
    html.push('</div>');
  });
  $('source').innerHTML = `<div id="code">${html.join('') || '<p class="note" style="padding:12px">The sources are not in this page.</p>'}</div>`;
  document.querySelectorAll('.l').forEach(row => rows.set(row.dataset.k, row));
  for (const [k, known] of lineInfo) for (const number of (known.findings || []).slice(0, 1)) callout(k, data.findings[number]);
  colourSource();
}
function callout(k, finding) {
  const row = rows.get(k);
  if (!row) return;
  row.classList.add('fails');
  row.querySelector('u').textContent = finding.verdict === 'FALSE' ? '✖' : '?';
  const note = document.createElement('div');
  note.className = `callout ${finding.verdict}`;
  note.textContent = finding.run ? finding.run.message : finding.unknown.reason;
  row.after(note);
}
// Scrolls a box, and nothing around it, until something in it is in view: in the middle, or just so.
function scrollInside(box, element, isCentred) {
  // Lines that were never shown have heights that are guessed, so the second time is exact.
  for (let again = 0; again < 2; again++) {
    const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (isCentred) box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
    else box.scrollTop += Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom);
  }
}
function toRow(k) {
  const row = rows.get(k);
  if (row) scrollInside($('source'), row, true);
  return row;
}
// Marks the lines of the run, the line of the step, and what was last stored on each line until now.
let marked = [];
function markSource(run, shown, at) {
  for (const row of marked) {
    row.classList.remove('step', 'now');
    if (!row.classList.contains('fails')) row.querySelector('u').textContent = '';
    const value = row.querySelector('i');
    if ('holds' in value.dataset) { value.textContent = value.dataset.holds; delete value.dataset.holds; }
  }
  marked = [];
  if (!run) return;
  const texts = new Map();
  for (const number of shown) {
    const step = run.steps[number], k = placeKey(step.file, step.line);
    if (!texts.has(k)) texts.set(k, '');
    if (number <= at && step.text) texts.set(k, step.text);
  }
  const now = run.steps[at];
  if (now) texts.set(placeKey(now.file, now.line), now.text);
  for (const [k, text] of texts) {
    const row = rows.get(k);
    if (!row) continue;
    marked.push(row);
    const isNow = now && k === placeKey(now.file, now.line), mark = row.querySelector('u'), value = row.querySelector('i');
    row.classList.add('step'); row.classList.toggle('now', !!isNow);
    if (!row.classList.contains('fails')) mark.textContent = isNow ? '▶' : '•';
    value.dataset.holds = value.textContent;
    value.textContent = text.length > 160 ? text.slice(0, 160) + ' …' : text;
  }
}
