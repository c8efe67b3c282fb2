/** Markdown as markup, in time and depth that are bounded; markup that a text holds is text, but for a few elements. */
import { defaults, Lexer, Parser, Renderer, Tokenizer, type Token, type Tokens, type TokensList } from 'marked';

/** Elements that a text may write itself: those of TensorBoard (`plugin_util._ALLOWED_TAGS`). */
export const WRITABLE =
  'ul ol li p pre code blockquote h1 h2 h3 h4 h5 h6 hr br strong em a img table thead tbody td tr th'.split(' ');

const MOST = 500_000; // characters
const DEEPEST = 20; // quotes, lists and emphasis in each other
const MOST_WORK = 1e8; // characters that are looked through, as often as they are
const LONGEST_WORD = 5000; // before an @: looking for addresses takes the square of it
const MOST_SIGNS = 200; // of a rule, a fence or the line below a heading
const TAG = new RegExp(`^ {0,3}</?(?:${WRITABLE.join('|')})(?=[\\s/>])`, 'i');
const OTHER_TAGS = new RegExp(`<(?!/?(?:${WRITABLE.join('|')})(?=[\\s/>]))`, 'gi');

/** A text that has signs of Markdown without being Markdown: thousands of one sign, say. */
class Degenerate extends Error {}

class BoundedLexer extends Lexer {
  private depth = 0;
  private work = 0;
  /** Characters of the quote that is read: each of its parts costs as much. */
  quote = 0;

  spend(characters: number): void {
    this.work += characters;
    if (this.work > MOST_WORK) throw new Degenerate();
  }

  override blockTokens(src: string, tokens?: Token[], clipped?: boolean): TokensList {
    if (clipped) this.spend(this.quote);
    return this.within(src, () => super.blockTokens(src, tokens, clipped) as TokensList);
  }

  override inlineTokens(src: string, tokens?: Token[]): Token[] {
    return this.within(src, () => super.inlineTokens(src, tokens));
  }

  private within<T>(src: string, read: () => T): T {
    this.spend(src.length);
    if (++this.depth > DEEPEST) throw new Degenerate();
    const found = read();
    this.depth--;
    return found;
  }
}

class TextTokenizer extends Tokenizer {
  override blockquote(src: string): Tokens.Blockquote | undefined {
    const lexer = this.lexer as BoundedLexer;
    const outer = lexer.quote;
    lexer.quote = this.rules.block.blockquote.exec(src)?.[0].length ?? 0;
    const found = super.blockquote(src);
    lexer.quote = outer;
    return found;
  }

  /** The first that is asked at each place of a line. */
  override escape(src: string): Tokens.Escape | undefined {
    if (/^[*_~![<`]/.test(src)) (this.lexer as BoundedLexer).spend(src.length);
    return super.escape(src);
  }

  override html(src: string): Tokens.HTML | undefined {
    return TAG.test(src) ? super.html(src) : undefined;
  }

  override tag(src: string): Tokens.Tag | undefined {
    const found = super.tag(src);
    this.lexer.state.inRawBlock = false; // what is between tags is text
    if (found && !TAG.test(src)) return Object.assign(found, { type: 'text', escaped: false });
    return found;
  }

  /** Addresses alone: `<ns:name>` is an element of XML. */
  override autolink(src: string): Tokens.Link | undefined {
    const found = super.autolink(src);
    return found && /^(https?:|ftp:|mailto:)/i.test(found.href) ? found : undefined;
  }

  override hr(src: string): Tokens.Hr | undefined {
    return short(super.hr(src), (token) => token.raw);
  }

  override fences(src: string): Tokens.Code | undefined {
    return short(super.fences(src), (token) => /^ *[`~]+/.exec(token.raw)?.[0]);
  }

  override lheading(src: string): Tokens.Heading | undefined {
    return short(super.lheading(src), (token) => /[=-]+\s*$/.exec(token.raw)?.[0]);
  }
}

function short<T>(token: T | undefined, signs: (token: T) => string | undefined): T | undefined {
  return token && (signs(token) ?? '').length <= MOST_SIGNS ? token : undefined;
}

class TextRenderer extends Renderer {
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text.replace(OTHER_TAGS, '&lt;');
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? '☑ ' : '☐ ';
  }
}

/** Markup, not safe yet; null for a text that is better shown as it is. */
export function markupOf(text: string): string | null {
  if (text.length > MOST) return null;
  if (text.split(/\s+/).some((word) => word.lastIndexOf('@') > LONGEST_WORD)) return null;
  const options = { ...defaults, tokenizer: new TextTokenizer(), renderer: new TextRenderer() };
  try {
    return Parser.parse(new BoundedLexer(options).lex(text), options);
  } catch (error) {
    if (error instanceof Degenerate) return null;
    throw error;
  }
}
