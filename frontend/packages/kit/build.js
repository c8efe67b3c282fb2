/**
 * Builds the page half of a plugin with Vite: its tab, and `contributions.ts(x)` and `snapshot.ts` next to the tab's module if
 * they are there.
 * `vite.config.js`:
 *
 *     import { insightPlugin } from '@insight-host/kit/build';
 *     export default insightPlugin({ entry: 'frontend/index.tsx', out: 'insight_words/static' });
 *
 * What the page shares stays an import; everything else is bundled. Workers have no import map: they bundle what they need.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const { version, peerDependencies } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

/** Modules that every page of this version has, by name. */
export const SHARED = [
  'preact',
  'preact/hooks',
  'preact/jsx-runtime',
  'preact/jsx-dev-runtime',
  '@preact/signals',
  '@insight-host/api',
  '@insight-host/kit',
  '@insight-host/kit/draw',
  '@insight-host/kit/flame',
  '@insight-host/kit/formulas',
  '@insight-host/kit/histograms',
  '@insight-host/kit/html',
  '@insight-host/kit/lab',
  '@insight-host/kit/lines',
  '@insight-host/kit/lists',
  '@insight-host/kit/markdown',
  '@insight-host/kit/runs',
  '@insight-host/kit/scene',
  '@insight-host/kit/steps',
  '@insight-host/kit/table',
  '@insight-host/kit/texts',
];
/** The version of the page's API, and of the kit, that a build is for. */
export const VERSIONS = { api: parseInt(peerDependencies['@insight-host/api'], 10), kit: version };

const ONE_OF_EACH = /^(preact|@preact\/signals|@preact\/signals-core|@insight-host\/[^/]+)(\/|$)/;

/** Leaves shared modules to the page, but for those in `own`. A second Preact or kit beside the page's would share nothing with it. */
export function leaveShared(own = []) {
  return {
    name: 'insight-host:shared',
    apply: 'build', // tests load the packages of node_modules
    enforce: 'pre', // else Vite has found the module before it is asked here
    resolveId(name, importer) {
      if (own.includes(name)) return null;
      if (SHARED.includes(name)) return { id: name, external: true };
      if (!own.includes('preact') && ONE_OF_EACH.test(name)) {
        throw new Error(`${importer} imports ${name}, which the page does not share; it shares ${SHARED.join(', ')}`);
      }
      return null;
    },
  };
}

const LOCALE = /\/locales\/[\w-]+\.json$/;
const NAMED_TEXTS = /import \{([^}]*)\} from (['"])([^'"]*\/locales\/[\w-]+\.json)\2/g;

/**
 * What a module imports by name of a file of texts, it gets alone. A file may have groups, `{"page": {…}, "table": {…}}`:
 * `import { table } from '../locales/en.json'` brings one of them, so that one file has all of a language, and code that
 * is loaded late brings its own texts.
 */
export function textsByGroup() {
  const split = (statement, names, quote, path) => {
    const groups = names.split(',').filter((name) => name.trim());
    const imports = groups.map((name) => {
      const [group, local = group] = name.trim().split(/\s+as\s+/);
      return `import ${local} from ${quote}${path}?${group}${quote}`;
    });
    return imports.join(';') + statement.replace(/[^\n]/g, ''); // as many lines, for which the source map stays right
  };
  return {
    name: 'insight-host:texts',
    apply: 'build', // tests read the whole files
    enforce: 'pre',
    transform: (code) => (code.includes('/locales/') ? { code: code.replace(NAMED_TEXTS, split), map: null } : null),
    load(id) {
      const [path, group] = id.split('?');
      if (!group || !LOCALE.test(path)) return null;
      const texts = JSON.parse(readFileSync(path, 'utf8'))[group];
      if (texts === undefined) throw new Error(`${path} has no texts "${group}"`);
      return { code: JSON.stringify(texts), moduleType: 'json' };
    },
  };
}

/** `import()` as it is. Vite would add code that loads links ahead, of which there are none here. */
export function plainImports() {
  return {
    name: 'insight-host:plain-imports',
    apply: 'build',
    enforce: 'pre',
    load: (id) => (id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null),
  };
}

/** The file names of a build: hashes are hexadecimal, by which the host tells them from words. */
export const OUTPUT = {
  hashCharacters: 'hex',
  entryFileNames: '[name]-[hash:12].js',
  chunkFileNames: '[name]-[hash:12].js',
  assetFileNames: '[name]-[hash:12][extname]',
};

/** Of the entry's imports: those that the page loads with it, and those that it loads later. */
function importsOf(bundle, entry) {
  const walk = (names, found) => {
    for (const name of names) {
      if (found.has(name)) continue;
      found.add(name);
      walk(bundle[name]?.imports ?? [], found);
    }
    return found;
  };
  const shared = (names) => [...new Set(names)].filter((name) => SHARED.includes(name)).sort();
  const imports = shared(walk(entry.imports, new Set()));
  const every = Object.values(bundle).flatMap((chunk) => [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]);
  return { imports, later: shared(every).filter((name) => !imports.includes(name)) };
}

/** Writes `manifest.json`, by which the host knows what the build was made for and what the page may load ahead. */
function writeManifest() {
  return {
    name: 'insight-host:manifest',
    generateBundle(_, bundle) {
      const entry = bundle['index.js'] ?? bundle['contributions.js']; // without a tab
      const manifest = { ...VERSIONS, ...importsOf(bundle, entry) };
      this.emitFile({ type: 'asset', fileName: 'manifest.json', source: `${JSON.stringify(manifest, null, 1)}\n` });
    },
  };
}

/** What the plugin has beyond its tab: what it adds to the page, and what answers for its host in a snapshot. */
function modulesBeside(entry) {
  const found = {};
  for (const name of ['contributions', 'snapshot']) {
    const sources = ['ts', 'tsx', 'js', 'jsx'].map((type) => join(dirname(entry), `${name}.${type}`));
    const source = sources.find((path) => existsSync(path));
    if (source !== undefined) found[name] = source;
  }
  return found;
}

/** A plugin without a tab (`tab=False`) has `contributions.ts` as its entry. */
const isContributions = (entry) => basename(entry).startsWith('contributions.');

/** The Vite configuration of a plugin: `entry` is the module of its tab, `out` the directory that it names as its `frontend`. */
export function insightPlugin({ entry, out }) {
  return {
    base: './',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [leaveShared(), plainImports(), textsByGroup(), writeManifest()],
    worker: { format: 'es', rolldownOptions: { output: OUTPUT } },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      chunkSizeWarningLimit: 1000,
      // Not build.lib: that leaves the whitespace in.
      rolldownOptions: {
        input: { ...(isContributions(entry) ? {} : { index: entry }), ...modulesBeside(entry) },
        preserveEntrySignatures: 'strict',
        output: { ...OUTPUT, entryFileNames: '[name].js' },
      },
    },
  };
}
