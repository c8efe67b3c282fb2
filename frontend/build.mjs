/**
 * Builds the page and the ES module of every plugin, prints gzip sizes, and fails over budget.
 *
 * `node frontend/build.mjs` builds everything; `node frontend/build.mjs scalar` only that plugin
 * (`shell` for the page). Budgets are in bytes of gzip.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const FRONTEND = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(FRONTEND);
const BUDGET = 60_000;

const shared = {
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { 'insight-host/kit': join(FRONTEND, 'kit', 'index.ts'), 'insight-host': join(FRONTEND, 'api.ts') } },
};

function pluginEntries() {
  const plugins = join(ROOT, 'plugins');
  const entries = [];
  for (const directory of existsSync(plugins) ? readdirSync(plugins).sort() : []) {
    if (!statSync(join(plugins, directory)).isDirectory()) continue;
    for (const name of readdirSync(join(plugins, directory))) {
      if (!name.startsWith('insight_')) continue;
      const source = join(plugins, directory, name, 'frontend');
      const entry = ['index.tsx', 'index.ts'].map((file) => join(source, file)).find(existsSync);
      if (entry) entries.push({ name: name.slice('insight_'.length), entry, out: join(plugins, directory, name, 'static') });
    }
  }
  return entries;
}

async function buildShell() {
  const out = join(FRONTEND, 'insight_frontend', 'static');
  await build({
    ...shared,
    root: FRONTEND,
    // The page is served at the mount point, its assets below static/: every URL stays relative.
    experimental: {
      renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `static/${file}` : { relative: true }),
    },
    build: { outDir: out, emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  });
  return out;
}

async function buildPlugin({ entry, out }) {
  await build({
    ...shared,
    root: dirname(entry),
    base: './',
    publicDir: false,
    worker: { format: 'es', rolldownOptions: { output: { entryFileNames: '[name]-[hash].js' } } },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      // Not build.lib: that leaves the whitespace in.
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: 'index.js', chunkFileNames: 'chunk-[hash].js', assetFileNames: '[name]-[hash][extname]' },
      },
    },
  });
}

function files(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

const gzipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(9);
const failures = [];

function report(directory) {
  for (const path of files(directory).filter((path) => /\.(js|css)$/.test(path))) {
    console.log(`${kilobytes(gzipped(path))} gz  ${relative(ROOT, path)}`);
  }
}

function check(label, bytes) {
  const over = bytes > BUDGET;
  console.log(`${kilobytes(bytes)} gz  ${label}${over ? `  over the budget of ${BUDGET} B` : ''}`);
  if (over) failures.push(label);
}

/** The files that index.html names. */
function namedFiles(directory) {
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="static\/([^"]+\.(?:js|css))"/g)].map((match) => match[1]);
  if (!named.length || /<script(?![^>]*\ssrc=)/.test(html)) throw new Error('index.html: no assets, or an inline script');
  return named.map((file) => join(directory, file));
}

/** What the browser loads before the first tab opens. */
function shellEntry(directory) {
  return namedFiles(directory).reduce((sum, path) => sum + gzipped(path), 0);
}

/** Widgets of `ctx.ui` that are loaded on first use, and the names of their chunks. */
const WIDGETS = { lineChart: 'chart', histogramChart: 'histogram_chart' };

/** What the browser loads when a plugin first asks for its widgets: their chunks, and what these import beside the page. */
function widgetFiles(directory, code) {
  const named = namedFiles(directory);
  const lazy = files(directory).filter((path) => /\.js$/.test(path) && !named.includes(path));
  const used = Object.keys(WIDGETS).filter((widget) => code.includes(widget));
  const found = new Set();
  const add = (path) => {
    if (!path || found.has(path)) return;
    found.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) add(lazy.find((other) => basename(other) === name));
  };
  for (const widget of used) {
    const chunk = lazy.find((path) => basename(path).replace(/-.{8}\.js$/, '') === WIDGETS[widget]);
    if (!chunk) throw new Error(`ctx.ui.${widget}: no chunk ${WIDGETS[widget]}`);
    add(chunk);
  }
  return [...found];
}

const only = process.argv.slice(2);
const wanted = (name) => only.length === 0 || only.includes(name);
const shellOut = join(FRONTEND, 'insight_frontend', 'static');

if (wanted('shell')) {
  await buildShell();
  report(shellOut);
  check('page', shellEntry(shellOut));
}
for (const plugin of pluginEntries()) {
  if (!wanted(plugin.name)) continue;
  await buildPlugin(plugin);
  report(plugin.out);
  const own = files(plugin.out).filter((path) => /\.(js|css)$/.test(path));
  const widgets = existsSync(shellOut) ? widgetFiles(shellOut, readFileSync(join(plugin.out, 'index.js'), 'utf8')) : [];
  check(`plugin ${plugin.name}${widgets.length ? ' with its chart' : ''}`, [...own, ...widgets].reduce((sum, path) => sum + gzipped(path), 0));
}
if (failures.length) {
  console.error(`over budget: ${failures.join(', ')}`);
  process.exit(1);
}
