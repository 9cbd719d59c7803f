// Runs and paths: their steps line by line, what is stored at a step, and their loops folded.
const KINDS = ['statement', 'condition', 'call', 'back', 'return', 'check'];
const string = number => data.strings[number];
const placeKey = (file, line) => `${file}:${line}`;

function stepOf([file, line, depth, fn, kind, what, essential, stored, thread]) {
  const values = [];
  for (let i = 0; i < stored.length; i += 3)
    values.push({ place: string(stored[i]), value: string(stored[i + 1]), input: (stored[i + 2] & 1) > 0, global: (stored[i + 2] & 2) > 0 });
  const parts = [], name = KINDS[kind];
  if (name === 'condition') parts.push(`[${string(what)}]`);
  if (name === 'call' && !values.some(v => v.input)) parts.push(`calls ${string(what)}`);
  if (name === 'back') parts.push(`back from ${string(what)}`);
  if (name === 'return') parts.push('returns');
  for (const v of values) parts.push(`${v.place} = ${v.value}${v.input ? ' (input)' : ''}`);
  return { file: data.files[file], line, depth, fn: string(fn), calls: name === 'call', conditions: name === 'condition' ? [what] : [], text: parts.join(', '), essential: essential > 0, stored: values, thread: thread ?? null };
}
// Steps in a row on one line are one, unless the line begins again: a loop may stand in one line.
function byLine(steps) {
  const lines = [];
  for (const step of steps) {
    const last = lines[lines.length - 1];
    const isSame = last && ['file', 'line', 'depth', 'fn', 'thread'].every(k => last[k] === step[k]);
    const begins = isSame && (step.stored.some(v => last.stored.some(w => w.place === v.place)) || step.conditions.some(c => last.conditions.includes(c)));
    if (isSame && !begins) {
      last.text = [last.text, step.text].filter(t => t).join(', ');
      last.stored.push(...step.stored);
      last.conditions.push(...step.conditions);
      last.calls ||= step.calls;
      last.essential ||= step.essential;
    } else lines.push(step);
  }
  return lines;
}
function runOfFinding(number) {
  const { run } = data.findings[number];
  const cut = run['left-out'] ? run.cut : run.steps.length;
  const unpacked = run.steps.map(stepOf), end = unpacked[unpacked.length - 1];
  // What the call at the end does is said by the message.
  if (end?.calls) end.text = '';
  const before = byLine(unpacked.slice(0, cut)), after = byLine(unpacked.slice(cut));
  const steps = before.concat(after), notes = run.threads.map((name, i) => `T${i} is ${name}`);
  if (run.slice && !run['left-out']) notes.unshift(`${steps.filter(s => s.essential).length} of ${steps.length} steps matter`);
  return { finding: number, title: run.message, note: notes.join(', '), steps, leftOut: run['left-out'], cut: before.length, hasValues: true };
}
// Many lines lie on one path: it is unpacked when it is first asked for.
const unpackedPaths = new Map();
function runOfPath(number, k) {
  const path = data.projection.paths[number];
  if (!unpackedPaths.has(number)) {
    const steps = path.steps.map(([file, line, depth, text, essential]) =>
      ({ file: data.files[file], line, depth, fn: '', calls: false, text: string(text), essential: essential > 0, stored: [], thread: null }));
    unpackedPaths.set(number, { steps, leftOut: path['left-out'], cut: Math.floor(steps.length / 2), hasValues: false });
  }
  const kind = path['ends-in-error'] ? 'an error path' : 'a path to something unsupported';
  const executed = path.why === null ? ', executed' : '';
  return Object.assign(unpackedPaths.get(number), { path: number, title: `${kind} over ${k} (${path.feasibility}${executed})`, note: pathNote(path) });
}
const SHOWN_INPUTS = 20;
function pathNote(path) {
  if (path.why !== null) return `No values: ${string(path.why)}.`;
  if (!path.inputs.length) return 'It fails whatever comes from outside.';
  const inputs = path.inputs.slice(0, SHOWN_INPUTS).map(([place, value, line]) => `${string(place)} = ${string(value)} (line ${line})`);
  const more = path.inputs.length - inputs.length;
  return `It fails with the inputs ${inputs.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

// The open calls and the values that are known behind a step.
function stateAt(run, at) {
  const stacks = new Map(), globals = new Map();
  const put = (vars, v, index, line) => vars.set(v.place, { value: v.value, input: v.input, was: vars.get(v.place)?.value, at: index, line });
  for (let index = 0; index <= at; index++) {
    // Of what is left out nothing is known.
    if (run.leftOut && index === run.cut) { globals.clear(); for (const stack of stacks.values()) stack.forEach(f => f.vars.clear()); }
    const step = run.steps[index], stack = stacks.get(step.thread) || [];
    stacks.set(step.thread, stack);
    while (stack.length > step.depth) stack.pop();
    while (stack.length < step.depth) stack.push({ fn: stack.length + 1 === step.depth ? step.fn : '…', vars: new Map(), begins: index, at: index });
    let top = stack[stack.length - 1];
    if (!top) continue;
    if (top.fn !== step.fn) top = stack[stack.length - 1] = { fn: step.fn, vars: new Map(), begins: index };
    top.at = index;
    for (const v of step.stored) put(v.global ? globals : top.vars, v, index, step.line);
  }
  const now = run.steps[at];
  return { stack: (now && stacks.get(now.thread)) || [], globals };
}

// So many passes of a loop are shown as they are; of more, the first and the last.
const PLAIN_PASSES = 4;
// Rows of the list: {at} is a step, {fold, count, rows} stands for passes of a loop. `shown` has the numbers of steps.
function foldedRows(run, shown) {
  const steps = run.steps, positions = new Map();
  const lineOf = s => `${s.thread}|${s.depth}|${s.fn}|${s.file}:${s.line}`;
  shown.forEach((number, i) => { const k = lineOf(steps[number]); (positions.get(k) || positions.set(k, []).get(k)).push(i); });
  // Coming back from a call is no new pass of its line.
  function comesBack(i) {
    const step = steps[shown[i]];
    let before = i - 1;
    while (before >= 0 && steps[shown[before]].depth > step.depth) before--;
    return before < i - 1 && before >= 0 && lineOf(steps[shown[before]]) === lineOf(step) && !step.calls;
  }
  function passes(lo, hi) {
    const first = steps[shown[lo]], all = positions.get(lineOf(first));
    if (all.length <= PLAIN_PASSES) return [lo];
    const found = [lo];
    let depthBroken = lo;
    for (const i of all.slice(all.indexOf(lo) + 1)) {
      if (i >= hi) break;
      // The activation ends where the depth becomes less.
      for (; depthBroken <= i; depthBroken++) if (steps[shown[depthBroken]].depth < first.depth) return found;
      if (!comesBack(i)) found.push(i);
    }
    return found;
  }
  function rows(lo, hi) {
    const out = [];
    for (let i = lo; i < hi; i++) {
      const found = passes(i, hi);
      out.push({ at: shown[i] });
      if (found.length <= PLAIN_PASSES) continue;
      const last = found[found.length - 1];
      out.push(...rows(i + 1, found[1]));
      const inner = () => found.slice(1, -1).flatMap((begin, n) => [{ at: shown[begin] }, ...rows(begin + 1, found[n + 2])]);
      out.push({ fold: shown[found[1]], until: shown[last], count: found.length - 2, rows: inner, depth: steps[shown[i]].depth });
      // The last pass is shown, and is none of a new loop.
      out.push({ at: shown[last] });
      i = last;
    }
    return out;
  }
  return rows(0, shown.length);
}
