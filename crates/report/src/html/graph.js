// Control flow automata: positions come with the page, the picture is made when it is looked at.
const NAMESPACE = 'http://www.w3.org/2000/svg';
let zoom = null;

function pathOf(points) {
  const [x, y, ...rest] = points;
  let d = `M${x} ${y}C${rest.slice(0, 6).join(' ')}`;
  for (let i = 6; i < rest.length; i += 4) d += `S${rest.slice(i, i + 4).join(' ')}`;
  return d;
}
function svgOf(name) {
  const { size: [width, height], file, boxes, texts, arrows } = data.graphs[name];
  const out = [`<svg xmlns="${NAMESPACE}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Control flow automaton of ${escapeHtml(name)}">`,
    '<defs><marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto-start-reverse"><path d="M0 0 9 4 0 8Z"/></marker></defs>'];
  for (const [points, head, tail] of arrows) out.push(`<path d="${pathOf(points)}"${tail ? ' marker-start="url(#head)"' : ''}${head ? ' marker-end="url(#head)"' : ''}/>`);
  for (const [x, y, w, h, line] of boxes) {
    const text = line > 0 ? `line ${line}` : line === 0 ? '·' : 'end';
    out.push(`<g data-k="${line > 0 ? escapeHtml(placeKey(data.files[file], line)) : ''}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/><text x="${x + w / 2}" y="${y + h / 2 + 4}">${text}</text></g>`);
  }
  for (const [x, y, text] of texts) out.push(`<text class="label" x="${x}" y="${y + 4}">${escapeHtml(string(text))}</text>`);
  return out.join('') + '</svg>';
}
function showGraph() {
  const name = $('function').value;
  if (!data.graphs[name]) { $('svg').innerHTML = '<p class="note">No automaton is drawn: functions that are very large are left out.</p>'; return; }
  $('svg').innerHTML = svgOf(name);
  zoomTo(zoom);
  markGraph();
}
function zoomTo(factor) {
  zoom = factor;
  const svg = $('svg').querySelector('svg');
  if (!svg) return;
  const [, , width] = svg.getAttribute('viewBox').split(' ').map(Number);
  const fit = Math.min(1, ($('svg').clientWidth - 20) / width);
  svg.style.width = `${width * (factor ?? Math.max(fit, .35))}px`;
}
const zoomBy = by => {
  const svg = $('svg').querySelector('svg');
  if (svg) zoomTo(svg.getBoundingClientRect().width / Number(svg.getAttribute('viewBox').split(' ')[2]) * by);
};
function markGraph() {
  const step = state.run?.steps[state.at];
  const passed = new Set(state.run ? state.run.steps.map(s => placeKey(s.file, s.line)) : []);
  for (const node of $('svg').querySelectorAll('g')) {
    const { k } = node.dataset;
    node.classList.toggle('run', passed.has(k));
    node.classList.toggle('now', !!step && k === placeKey(step.file, step.line));
    node.classList.toggle('fails', !!rows.get(k)?.classList.contains('fails'));
  }
  const now = $('svg').querySelector('.now');
  if (now) scrollInside($('svg'), now, true);
}
function followFunction() {
  const step = state.run?.steps[state.at];
  if (step && data.graphs[step.fn] && $('function').value !== step.fn) { $('function').value = step.fn; showGraph(); } else markGraph();
}
