import { afterEach, expect, it } from 'vitest';
import { boot, modulesOf } from './boot';

const tabs = {
  scalar: { module: 'data/plugin/scalar/static/@1/index.js', imports: ['kit', 'lines', 'unknown'] },
  image: { module: 'data/plugin/image/static/@2/index.js', imports: ['kit'] },
};
const map = { kit: './static/kit.js', lines: './static/lines.js' };

afterEach(() => {
  document.head.replaceChildren();
  location.hash = '';
});

it('loads the tab of the link ahead, or the first one, with what it imports', () => {
  expect(modulesOf('#locale=en&tab=image', tabs, map)).toEqual([tabs.image.module, './static/kit.js']);
  expect(modulesOf('', tabs, map)).toEqual([tabs.scalar.module, './static/kit.js', './static/lines.js']);
  expect(modulesOf('#tab=gone', tabs, map)).toEqual(modulesOf('', tabs, map));
  expect(modulesOf('', {}, map)).toEqual([]);
});

it('reads them from the page', () => {
  document.head.innerHTML = `<script type="importmap">${JSON.stringify({ imports: map })}</script><script type="application/json" id="tabs">${JSON.stringify(tabs)}</script>`;
  location.hash = '#tab=image';
  boot();
  expect([...document.head.querySelectorAll('link[rel=modulepreload]')].map((link) => link.getAttribute('href'))).toEqual([tabs.image.module, './static/kit.js']);
});

it('does without them', () => {
  boot();
  expect(document.head.querySelector('link')).toBeNull();
});
