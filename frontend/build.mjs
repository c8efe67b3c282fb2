/**
 * Builds what the page shares, the page, and the module of every plugin; prints their sizes and fails over budget.
 *
 * `node frontend/build.mjs` builds everything; `node frontend/build.mjs scalar` only that plugin, `gallery`
 * the gallery of the kit, `page` the rest.
 * Each shared module is built by itself with all others as imports, so that nothing is in two of them. Names lead to
 * files by an import map in index.html.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { bundle, buildShared, FRONTEND, PACKAGES, ROOT } from './bundling.mjs';
import { licenses } from './licenses.mjs';
import { pack } from './packing.mjs';
import { insightPlugin, OUTPUT, SHARED, VERSIONS } from './packages/kit/build.js';
import { failures, measurePage, measureTab, pageFiles } from './sizes.mjs';

const SHELL = join(FRONTEND, 'shell');
const BUILT = join(FRONTEND, 'insight_frontend');
const STATIC = join(BUILT, 'static');

/** A script that is no module, as text. */
async function classic(name) {
  const entry = join(SHELL, 'src', `${name}.ts`);
  const calls = { name: 'calls', transform: (code, id) => (id === entry ? `${code}\n${name}();` : null) };
  const [{ code }] = await bundle({ entry, name, output: { format: 'iife' }, plugins: [calls], signatures: false });
  return code.trim();
}

/** Styles of a phone, of the page and of the kit, in one file; its name. */
async function phoneStyles(assets) {
  const made = await bundle({ entry: join(SHELL, 'src', 'phone.ts'), name: 'phone' });
  const { fileName, source } = made.find((asset) => asset.fileName.endsWith('.css'));
  writeFileSync(join(assets, basename(fileName)), source);
  return basename(fileName);
}

/** What users of the page look for in the documentation, below docs/; the wheel has no other copy of it. */
const DOCS =
  /^(how-to\/[\w-]+|words|reliability|http_api|reference\/(accuracy|dashboards|filter|flags|formats|limits|profile_advice))\.md$/;

/** Titles of pages by path, and what they are about, as a listing of the documentation gives them. */
function titlesOf(listing) {
  const text = existsSync(listing) ? readFileSync(listing, 'utf8') : '';
  const links = [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)(.*)$/gm)].filter(([, , path]) => DOCS.test(path));
  return new Map(
    links.map(([, title, path, about]) => [
      path,
      { title, about: about.replace(/^[:,：\s]+/, '').replaceAll('`', '') },
    ]),
  );
}

/** Pages of the documentation, and a list of them with their titles in both languages. */
function writeDocs() {
  const [docs, out] = [join(ROOT, 'docs'), join(STATIC, 'docs')];
  const chinese = titlesOf(join(docs, 'README.zh-CN.md'));
  const pages = [...titlesOf(join(docs, 'README.md'))].map(([path, en]) => ({
    path,
    titles: { en, 'zh-CN': chinese.get(path) ?? en },
  }));
  for (const { path } of pages) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), readFileSync(join(docs, path)));
  }
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'index.json'), JSON.stringify(pages));
}

/** Sources that the page runs before it loads anything later. */
function firstModules(made) {
  const found = new Set();
  const waiting = [made.find((chunk) => chunk.isEntry)];
  for (let chunk = waiting.pop(); chunk; chunk = waiting.pop()) {
    for (const id of chunk.moduleIds) found.add(id);
    waiting.push(...made.filter(({ fileName }) => chunk.imports.includes(fileName)));
  }
  return found;
}

async function buildPage() {
  rmSync(STATIC, { recursive: true, force: true });
  const assets = join(STATIC, 'assets');
  const shared = await buildShared(assets);
  const page = {
    entry: join(SHELL, 'src', 'main.tsx'),
    name: 'shell',
    signatures: 'allow-extension', // what it loads later imports from it
  };
  const first = firstModules(await bundle(page));
  const groups = [{ name: 'page', test: (id) => first.has(id) }]; // one file compresses better than several
  const made = await bundle({ ...page, out: assets, output: { ...OUTPUT, codeSplitting: { groups } } });
  const shell = made.find((chunk) => chunk.isEntry);
  const at = (file) => `static/assets/${file}`;
  const map = Object.fromEntries(SHARED.map((name) => [name, `./${at(shared[name].fileName)}`]));
  const guard = await classic('guard');
  const guardFile = `guard-${createHash('sha256').update(guard).digest('hex').slice(0, 12)}.js`;
  writeFileSync(join(assets, guardFile), guard);
  const ahead = [...new Set(shell.imports.map((name) => shared[name]?.fileName ?? name))]; // a chunk goes by its file
  const styles = made.filter(({ fileName }) => fileName.endsWith('.css')).map(({ fileName }) => fileName);
  const links = [
    ...ahead.map((file) => `<link rel="modulepreload" href="${at(file)}" />`),
    ...styles.map((file) => `<link rel="stylesheet" href="${at(file)}" />`),
    // a wider window loads it when it has nothing else to do
    `<link rel="stylesheet" media="(max-width: 699px)" href="${at(await phoneStyles(assets))}" />`,
  ];
  const values = {
    map: JSON.stringify({ imports: map }),
    boot: await classic('boot'),
    guard: at(guardFile),
    shell: at(shell.fileName),
    links: links.join('\n    '),
  };
  const html = readFileSync(join(SHELL, 'index.html'), 'utf8').replace(/%(\w+)%/g, (_, name) => values[name]);
  writeFileSync(join(STATIC, 'index.html'), html);
  for (const file of readdirSync(join(SHELL, 'public')))
    writeFileSync(join(STATIC, file), readFileSync(join(SHELL, 'public', file)));
  writeDocs();
  writeFileSync(join(STATIC, 'licenses.txt'), licenses());
  const modules = Object.fromEntries(
    SHARED.map((name) => [name, { file: `assets/${shared[name].fileName}`, imports: shared[name].imports }]),
  );
  writeFileSync(join(STATIC, 'manifest.json'), `${JSON.stringify({ ...VERSIONS, modules }, null, 1)}\n`);
}

function pluginEntries() {
  const plugins = join(ROOT, 'plugins');
  const entries = [];
  for (const directory of existsSync(plugins) ? readdirSync(plugins).sort() : []) {
    const entry = ['index.tsx', 'index.ts'].map((file) => join(plugins, directory, 'frontend', file)).find(existsSync);
    if (entry)
      entries.push({ name: directory, entry, out: join(plugins, directory, `insight_${directory}`, 'static') });
  }
  return entries;
}

/** What jsPDF would load for HTML and for SVG as pictures, which nothing here asks of it. */
const withoutOptional = {
  name: 'insight-host:without-optional',
  enforce: 'pre',
  resolveId: (name, importer) =>
    importer?.includes('/jspdf/') && ['canvg', 'dompurify', 'html2canvas'].includes(name)
      ? { id: name, external: true }
      : null,
};

const only = process.argv.slice(2);
const wanted = (name) => only.length === 0 || only.includes(name);

if (wanted('page')) {
  await buildPage();
  await pack(join(BUILT, 'packages'));
}
const { modules } = JSON.parse(readFileSync(join(STATIC, 'manifest.json'), 'utf8'));
if (wanted('page')) measurePage(modules);
const page = pageFiles();
for (const plugin of pluginEntries()) {
  if (!wanted(plugin.name)) continue;
  const { plugins, ...config } = insightPlugin(plugin);
  const root = dirname(plugin.entry);
  await build({ configFile: false, logLevel: 'warn', root, ...config, plugins: [withoutOptional, ...plugins] });
  for (const path of measureTab(plugin, modules, page)) {
    // stored as the host sends it: 5 MB less on the disk, and no request waits for gzip
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    rmSync(path);
  }
}
if (wanted('gallery')) {
  // for `insight-host plugin dev` only; its data come from the context for tests, which the page does not share
  const testing = join(PACKAGES, 'kit/src/testing.ts');
  const resolveId = (name) => (name === '@insight-host/kit/testing' ? testing : null);
  const { plugins, ...config } = insightPlugin({
    entry: join(FRONTEND, 'gallery/index.tsx'),
    out: join(ROOT, 'insight_authoring/gallery/static'),
  });
  const own = { name: 'insight-host:testing', enforce: 'pre', resolveId };
  await build({ configFile: false, logLevel: 'warn', root: FRONTEND, ...config, plugins: [own, ...plugins] });
}
if (failures.length) {
  console.error(`over budget: ${failures.join(', ')}`);
  process.exit(1);
}
