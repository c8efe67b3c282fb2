import { afterEach, expect, it, vi } from 'vitest';
import { fitsLink, saveByForm } from './card_tools';

afterEach(() => {
  document.body.replaceChildren();
});

it('sends all parameters as a form, each to a frame of its own', () => {
  const runs = Array.from({ length: 1000 }, (_, i) => `run ${i}`);
  const query = new URLSearchParams([...runs.map((run) => ['run', run]), ['format', 'csv']]);
  const href = `http://localhost/a/data/plugin/scalar/series?${String(query)}`;
  expect([fitsLink(href), fitsLink('http://localhost/')]).toEqual([false, true]);
  const { happyDOM } = window as unknown as { happyDOM: { settings: Record<string, boolean> } };
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = true; // it loads no frames
  const sent: HTMLFormElement[] = [];
  vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(function (this: HTMLFormElement) {
    sent.push(this);
  });
  saveByForm(href, vi.fn());
  saveByForm(href, vi.fn());
  const [form, other] = sent;
  expect([form?.method, form?.action]).toEqual(['post', 'http://localhost/a/data/plugin/scalar/series']);
  const inputs = [...(form?.querySelectorAll('input') ?? [])];
  expect(inputs.map(({ name, value }) => [name, value])).toEqual([...query]);
  expect(document.querySelectorAll(`iframe[name="${form?.target}"]`).length).toBe(1);
  expect(other?.target).not.toBe(form?.target); // the second would cancel the first
  expect(document.querySelector('form')).toBe(null);
});
