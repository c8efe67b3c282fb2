import { render } from 'preact';
import { expect, it } from 'vitest';
import { visibleText } from './texts';

const NAME = 'evil\u202egnp.exe\n\u001b[31m';

it('shows marks and control characters as escapes, like `inspect`', () => {
  expect(visibleText(NAME)).toBe('evil\\u202egnp.exe\\n\\x1b[31m');
  expect(visibleText('a\nb\t\u2066', true)).toBe('a\nb\t\\u2066');
  for (const harmless of ['train/日本 ü', 'خسارة', 'שגיאה', '👩‍🔬']) expect(visibleText(harmless)).toBe(harmless);
});

it('is what every text of the page goes through, and keys stay as they are', () => {
  const root = document.createElement('div');
  const Row = ({ name }: { readonly name: string }) => (
    <div data-run={name} title={name}>
      <span>{name}</span>
      <button aria-label={name}>of {name}</button>
      <pre>{name}</pre>
      <input value={'a\u202eb'} />
    </div>
  );
  render(<Row name={NAME} />, root);
  const row = root.firstElementChild as HTMLElement;
  expect(row.dataset['run']).toBe(NAME);
  expect(row.title).toBe('evil\\u202egnp.exe\n\\x1b[31m');
  expect(row.querySelector('span')?.textContent).toBe(visibleText(NAME));
  expect(row.querySelector('button')?.textContent).toBe(`of ${visibleText(NAME)}`);
  expect(row.querySelector('button')?.getAttribute('aria-label')).not.toContain('\u202e');
  expect(row.querySelector('pre')?.textContent).toBe('evil\\u202egnp.exe\n\\x1b[31m');
  expect(row.querySelector('input')?.value).toBe('a\u202eb');
});
