/**
 * Packs `@insight-host/api` and `@insight-host/kit` as npm packages for authors of plugins: types, readable modules,
 * the preset.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildShared, bundle, PACKAGES, ROOT } from './bundling.mjs';
import { OUTPUT } from './packages/kit/build.js';

const BLOCK = 512;

/** A file of a tar archive: the same bytes from the same content, whoever packs it and when. */
function entry(name, content) {
  const head = Buffer.alloc(BLOCK);
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  head.write(name, 0);
  for (const [at, value, length] of [
    [100, 0o644, 8],
    [108, 0, 8],
    [116, 0, 8],
    [124, content.length, 12],
    [136, 0, 12],
  ])
    head.write(octal(value, length), at);
  head.write('        0', 148); // the sum counts as spaces; 0 is a file
  head.write('ustar\x0000', 257);
  head.write(
    `${head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return Buffer.concat([head, content, Buffer.alloc(-content.length & (BLOCK - 1))]);
}

function tarball(files) {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name] of entries)
    if (Buffer.byteLength(`package/${name}`) > 100) throw new Error(`${name}: too long for a tar archive`);
  return gzipSync(
    Buffer.concat([...entries.map(([name, content]) => entry(`package/${name}`, content)), Buffer.alloc(2 * BLOCK)]),
    { level: 9 },
  );
}

/** Files below a directory, by their path in the package. */
function below(directory, place) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => join(found.parentPath, found.name))
    .map((path) => [`${place}/${relative(directory, path).split(sep).join('/')}`, readFileSync(path)]);
}

/** Type declarations of both packages, below `out`. */
function declare(out) {
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', out];
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', PACKAGES, ...options], {
    stdio: 'inherit',
  });
}

/**
 * Writes the tarballs into the directory `target`. The modules in them are not minified: authors read them in stack
 * traces.
 */
export async function pack(target) {
  const work = mkdtempSync(join(tmpdir(), 'insight-host-pack-'));
  try {
    declare(join(work, 'types'));
    const readable = { minify: false, output: { ...OUTPUT, entryFileNames: '[name].js' } };
    const built = await buildShared(join(work, 'dist'), readable);
    const testing = await bundle({
      entry: join(PACKAGES, 'kit/src/testing.ts'),
      out: join(work, 'dist'),
      name: 'kit-testing',
      ...readable,
    });
    built['@insight-host/kit/testing'] = testing[0]; // for tests of authors: the page does not have it
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const scope of ['api', 'kit']) {
      const source = join(PACKAGES, scope);
      const description = readFileSync(join(source, 'package.json'));
      const { name, version } = JSON.parse(description);
      const own = Object.entries(built).filter(([each]) => each === name || each.startsWith(`${name}/`));
      const modules = own.filter(
        ([, { fileName }], at) => own.findIndex(([, other]) => other.fileName === fileName) === at, // others are its names
      );
      const extra = ['README.md', 'build.js', 'build.d.ts'].filter((file) => existsSync(join(source, file)));
      const content = tarball({
        'package.json': description,
        LICENSE: readFileSync(join(ROOT, 'LICENSE')),
        ...Object.fromEntries(extra.map((file) => [file, readFileSync(join(source, file))])),
        ...Object.fromEntries(
          modules.map(([each, { fileName }]) => [
            `dist/${each.slice(name.length + 1) || 'index'}.js`,
            readFileSync(join(work, 'dist', fileName)),
          ]),
        ),
        ...Object.fromEntries(below(join(work, 'types', scope, 'src'), 'types')),
      });
      writeFileSync(join(target, `insight-host-${scope}-${version}.tgz`), content);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
