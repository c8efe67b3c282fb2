import { afterEach, expect, it, vi } from 'vitest';
import { boot, modulesOf, tabOf } from './boot';
import { guard } from './guard';

const tabs = {
  scalar: { module: 'data/plugin/scalar/static/@1/index.js', imports: ['kit', 'lines', 'unknown'] },
  image: { module: 'data/plugin/image/static/@2/index.js', imports: ['kit'] },
};
const map = { kit: './static/kit.js', lines: './static/lines.js' };

afterEach(() => {
  document.head.replaceChildren();
  location.hash = '';
  globalThis.insightStart = undefined;
});

it('loads the tab of the link ahead, or the first one, with what it imports', () => {
  expect([tabOf('#locale=en&tab=image', tabs), tabOf('', tabs), tabOf('#tab=gone', tabs), tabOf('#tab=x', {})]).toEqual(
    ['image', 'scalar', 'scalar', ''],
  );
  expect(modulesOf(tabs.image, map)).toEqual([tabs.image.module, './static/kit.js']);
  expect(modulesOf(tabs.scalar, map)).toEqual([tabs.scalar.module, './static/kit.js', './static/lines.js']);
  expect(modulesOf(undefined, map)).toEqual([]);
});

it('reads them from the page, and asks for the first answers', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{"data/environment": 1}'));
  document.head.innerHTML =
    `<script type="importmap">${JSON.stringify({ imports: map })}</script>` +
    `<script type="application/json" id="tabs">${JSON.stringify(tabs)}</script>`;
  location.hash = '#tab=image';
  boot();
  expect(fetched.mock.calls[0]?.[0]).toBe('data/start?tab=image');
  expect(await globalThis.insightStart).toEqual({ 'data/environment': 1 });
  expect(
    [...document.head.querySelectorAll('link[rel=modulepreload]')].map((link) => link.getAttribute('href')),
  ).toEqual([tabs.image.module, './static/kit.js']);
});

it('does without them', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('no network'));
  boot();
  expect(await globalThis.insightStart).toEqual({});
  expect(document.head.querySelector('link')).toBeNull();
});

it('opens the saved view of the host where the address has no hash, and with it the tab that it names', () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{}'));
  const start = { logs: 'x', view: { name: 'mine', state: { tab: 'image', runs: 'a;b&c' } } };
  document.head.innerHTML =
    `<script type="application/json" id="tabs">${JSON.stringify(tabs)}</script>` +
    `<script type="application/json" id="start">${JSON.stringify(start)}</script>`;
  history.replaceState(null, '', location.pathname);
  boot();
  expect(location.hash).toBe('#tab=image&runs=a;b%26c');
  expect(fetched.mock.calls.at(-1)?.[0]).toBe('data/start?tab=image');
  expect(globalThis.insightView?.name).toBe('mine');

  globalThis.insightView = undefined;
  history.replaceState(null, '', `${location.pathname}#`);
  boot();
  expect(fetched.mock.calls.at(-1)?.[0]).toBe('data/start?tab=scalar');
  expect(globalThis.insightView).toBeUndefined();
});

it('explains an empty page, and leaves one that runs alone', () => {
  const page = Object.assign(document.createElement('div'), { id: 'page' });
  document.body.append(page);
  guard();
  page.append('running');
  dispatchEvent(new ErrorEvent('error', { message: 'later' }));
  expect(page.textContent).toBe('running');
  page.replaceChildren();
  dispatchEvent(new ErrorEvent('error', { message: 'bare specifier' }));
  expect(page.textContent).toContain('Content-Security-Policy');
  expect(page.textContent).toContain('bare specifier');
});
