import type { ComponentType, JSX } from 'preact';
import { codeOf, shownIn } from './code';
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
