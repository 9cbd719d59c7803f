// Colours for C: comments, strings, numbers, directives, keywords, types and names that are called.
const KEYWORDS = new Set(('auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch typedef ' +
  'union volatile while _Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local').split(' '));
const TYPES = new Set('void char short int long float double signed unsigned _Bool _Complex bool FILE va_list NULL true false'.split(' '));
const TOKEN = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|(?![^]))|(?:u8|[LuU])?"(?:\\[^]|[^"\\\n])*"?|[LuU]?'(?:\\[^]|[^'\\\n])*'?|\.?[0-9](?:[eEpP][+-]|[\w.])*|[A-Za-z_]\w*|^[ \t]*#[ \t]*\w*|[^]/gm;

function escapeHtml(text) {
  return String(text).replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
}
function tokenKind(token, rest) {
  const first = token.trimStart()[0];
  if (token.startsWith('//') || token.startsWith('/*')) return 'c';
  if (first === '#') return 'd';
  if (/^(?:u8|[LuU])?["']/.test(token)) return 's';
  if (/^\.?[0-9]/.test(token)) return 'n';
  if (!/^[A-Za-z_]/.test(token)) return '';
  if (KEYWORDS.has(token)) return 'k';
  if (TYPES.has(token) || /^[a-z]\w*_t$/.test(token)) return 'y';
  return /^[ \t]*\(/.test(rest) ? 'f' : '';
}
// The lines of a text as HTML. A token that goes over several lines is coloured in each of them.
function highlighted(text) {
  const out = [];
  let plain = '';
  const flush = () => { if (plain) { out.push(escapeHtml(plain)); plain = ''; } };
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0], end = match.index + token.length;
    const kind = tokenKind(token, text.slice(end, end + 8));
    if (!kind) { plain += token; continue; }
    flush();
    out.push(token.split('\n').map(part => part && `<span class="${kind}">${escapeHtml(part)}</span>`).join('\n'));
  }
  flush();
  return out.join('').split('\n');
}
