import type { ComponentType, JSX } from 'preact';
import type { Given } from './given';

type Examples = Readonly<Record<string, ComponentType<Given>>>;
const EXAMPLES = import.meta.glob<Examples>('./examples/*.tsx', { eager: true });
const SOURCES = import.meta.glob<string>('./examples/*.tsx', { eager: true, query: '?raw', import: 'default' });
const SECTIONS = ['controls', 'layers', 'boards', 'tables', 'charts', 'histograms'].map((name) => {
  const file = `./examples/${name}.tsx`;
  return { name, examples: EXAMPLES[file] as Examples, source: SOURCES[file] as string };
});

/** Every component of the kit, with the lines that make it. */
export function Gallery(given: Given): JSX.Element {
  const say = given.page.t;
  return (
    <div class="kit gallery">
      {SECTIONS.map(({ name, examples, source }) => (
        <section key={name} aria-label={say(`gallery.${name}`)}>
          <h2>{say(`gallery.${name}`)}</h2>
          {Object.entries(examples).map(([title, Shown]) => {
            const code = codeOf(source, title);
            return (
              <article key={title} data-example={title} data-shows={shownIn(code).join(' ')}>
                <h3>{shownIn(code).join(', ') || title}</h3>
                <div class={`stage ${title}`}>
                  <Shown {...given} />
                </div>
                <pre tabIndex={0} aria-label={say('gallery.code', { name: title })}>
                  {code}
                </pre>
              </article>
            );
          })}
        </section>
      ))}
    </div>
  );
}

/**
 * The source of one example: its imports, and what stands between `export function NAME` and the next line with nothing
 * but `}`.
 */
export function codeOf(source: string, name: string): string {
  const found = new RegExp(`^export function ${name}\\b[\\s\\S]*?^}$`, 'm').exec(source);
  if (!found) throw new Error(`no source of ${name}`);
  const [code] = found;
  // a helper that only this example uses is part of it
  const helpers = [...source.matchAll(/^function (\w+)\b[\s\S]*?^}$/gm)].filter(([, helper]) =>
    code.includes(`<${helper} `),
  );
  const body = [code.replace(/^export /, ''), ...helpers.map(([text]) => text)].join('\n\n');
  return [importsOf(source, body), body].filter(Boolean).join('\n\n');
}

/** What `body` uses of the modules that a plugin may import too, without types. */
function importsOf(source: string, body: string): string {
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(body);
  return [...source.matchAll(/^import \{([^}]*)\} from '([^.'][^']*)';$/gm)]
    .map(([, names = '', module]) => {
      const used = names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => /^\w+$/.test(name) && isUsed(name));
      return used.length > 0 ? `import { ${used.join(', ')} } from '${module}';` : '';
    })
    .filter(Boolean)
    .join('\n');
}

/** Components that a source renders, in their order. */
function shownIn(code: string): readonly string[] {
  return [...new Set([...code.matchAll(/(?<!\w)<([A-Z]\w*)/g)].map((match) => match[1] as string))];
}
