/**
 * Writes javascript.txt next to this file: what `@insight-host/api` and the promised modules of `@insight-host/kit` export, a
 * line each, with its signature.
 *
 * Run it after a change of what they export: `node docs/reference/surface/write_javascript.mjs`. A test compares the file.
 * The declarations are those of the compiler, so that also a type that nobody wrote down is seen. `--print` writes to standard
 * output.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../../..');
const PACKAGES = join(ROOT, 'frontend/packages');
const WITHOUT_PROMISE = ['@insight-host/kit/draw', '@insight-host/kit/formulas', '@insight-host/kit/lab', '@insight-host/kit/lists', '@insight-host/kit/runs', '@insight-host/kit/scene'];
const LAST_RELEASE = 'last_release'; // the module of names that go with the next release

const { exports: parts } = JSON.parse(readFileSync(join(PACKAGES, 'kit/package.json'), 'utf8'));

/** The entry of each module that is promised, below the declarations, by its name. */
const ENTRIES = Object.fromEntries([
  ['@insight-host/api', 'api/src/index.d.ts'],
  ...Object.entries(parts)
    .map(([part, { types }]) => [`@insight-host/kit${part.slice(1)}`, types.replace('./types/', 'kit/src/')])
    .filter(([name]) => !WITHOUT_PROMISE.includes(name)),
]);

/** The text without comments, and with one space where there was some. */
const plain = (text) =>
  text
    .replace(/('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)|\/\*[^]*?\*\/|\/\/[^\n]*/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

/** The statements of a declaration file: each ends at a semicolon or brace outside of all brackets. */
function statements(text) {
  const found = [];
  let [start, depth] = [0, 0];
  for (const { 0: token, index } of text.matchAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|=>|[{}()[\];]/g)) {
    if ('{(['.includes(token)) depth += 1;
    else if ('})]'.includes(token)) depth -= 1;
    const statement = text.slice(start, index + 1).trim();
    const isBlock =
      token === '}' &&
      /^(export )?(declare )?(abstract )?(interface|class|enum|namespace) /.test(statement) &&
      /^ ?($|export|declare|import|interface|class|abstract|type|const|function)/.test(text.slice(index + 1)); // not of a base
    if (depth > 0 || !(token === ';' || isBlock)) continue;
    found.push(statement);
    start = index + 1;
  }
  return found;
}

/** A declaration in one line: of a class without what only it sees. */
const signature = (statement) =>
  statement
    .replace(/^export (?:declare )?/, '')
    .replace(/(?<=[{;] )(?:private|protected) [^;]*; ?/g, '')
    .replace(/;$/, '');

/** What a file declares and exports: by name its signature, and whether it goes. */
function exportsOf(file, isGoing = false) {
  const found = new Map();
  const own = new Map();
  const path = [file, file.replace(/\.d\.ts$/, '/index.d.ts')].find(existsSync);
  if (path === undefined) throw new Error(`${file} is missing`);
  const next = (from) => {
    const shared = /^@insight-host\/kit\/(\w+)$/.exec(from);
    const target = shared ? join(TYPES, 'kit/src', `${shared[1]}.d.ts`) : join(dirname(path), `${from}.d.ts`);
    return exportsOf(target, isGoing || from.endsWith(LAST_RELEASE));
  };
  for (const statement of statements(plain(readFileSync(path, 'utf8')))) {
    const all = /^export (?:type )?\* from ['"](.+)['"];$/.exec(statement);
    const group = /^export \* as (\w+) from ['"](.+)['"];$/.exec(statement);
    const some = /^export (?:type )?\{(.*)\} from ['"](.+)['"];$/.exec(statement);
    const declared = /^(?:export )?(?:declare )?(?:abstract )?(?:function|const|let|class|interface|type) (\w+)/.exec(
      statement,
    );
    if (all) for (const entry of next(all[1])) found.set(...entry);
    else if (group) for (const [name, each] of next(group[2])) found.set(`${group[1]}.${name}`, each);
    else if (some) {
      const there = next(some[2]);
      for (const part of some[1]
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean)) {
        const [name, as = name] = part.replace(/^type /, '').split(' as ');
        found.set(as, there.get(name) ?? { text: `from ${some[2]}`, isGoing });
      }
    } else if (declared) {
      own.set(declared[1], statement);
      if (statement.startsWith('export ')) {
        const before = found.get(declared[1]); // an overload
        found.set(declared[1], { text: (before ? `${before.text}; ` : '') + signature(statement), isGoing });
      }
    } else if (/^export default (\w+);$/.test(statement)) {
      const [, name] = /^export default (\w+);$/.exec(statement);
      found.set('default', { text: signature(own.get(name) ?? name), isGoing });
    }
  }
  return found;
}

const TYPES = mkdtempSync(join(tmpdir(), 'insight-host-surface-'));
try {
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', TYPES];
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', PACKAGES, ...options], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  writeFileSync(join(TYPES, 'kit/src/build.d.ts'), readFileSync(join(PACKAGES, 'kit/build.d.ts')));
  const lines = Object.entries(ENTRIES).flatMap(([module, entry]) => {
    const file = join(TYPES, module === '@insight-host/kit/build' ? 'kit/src/build.d.ts' : entry);
    return [...exportsOf(file)].map(
      ([name, { text, isGoing }]) => `${module} ${name}${isGoing ? ' (goes with the next release)' : ''}: ${text}`,
    );
  });
  const text = `${lines.sort((a, b) => (a < b ? -1 : 1)).join('\n')}\n`;
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(join(HERE, 'javascript.txt'), text);
} finally {
  rmSync(TYPES, { recursive: true, force: true });
}
