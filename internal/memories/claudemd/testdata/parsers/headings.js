// Reads a JSON array of Markdown texts from standard input. Writes a JSON array with the headings of the levels 1 to 3 that each
// parser finds in each text: [{"commonmark": ["1 Title", …], "marked": ["1 Title", …]}, …].
import { Parser } from 'commonmark';
import { Lexer } from 'marked';

const deepest = 3;

function byCommonMark(text) {
  const lines = text.split('\n');
  const found = [];
  const walker = new Parser().parse(text).walker();
  for (let event; (event = walker.next());) {
    const { node } = event;
    if (!event.entering || node.type !== 'heading' || node.level > deepest) continue;
    const [[first], [last]] = node.sourcepos;
    found.push(`${node.level} ${lines.slice(first - 1, last).join('\n').replace(/^ {0,3}#+ */, '')}`);
  }
  return found;
}

function byMarked(text) {
  const found = [];
  const collect = (tokens) => {
    for (const token of tokens) {
      if (token.type === 'heading' && token.depth <= deepest) found.push(`${token.depth} ${token.text}`);
      if (token.type === 'blockquote') collect(token.tokens);
      if (token.type === 'list') token.items.forEach((item) => collect(item.tokens));
    }
  };
  collect(new Lexer({ gfm: true }).blockTokens(text, []));
  return found;
}

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const texts = JSON.parse(Buffer.concat(chunks).toString());
process.stdout.write(JSON.stringify(texts.map((text) => ({ commonmark: byCommonMark(text), marked: byMarked(text) }))));
