/**
 * The source of one example: its imports, and what stands between `export function NAME` and the next line with nothing
 * but `}`.
 */
export function codeOf(source: string, name: string): string {
  const found = new RegExp(`^export function ${name}\\b[\\s\\S]*?^}$`, 'm').exec(source);
  if (!found) throw new Error(`no source of ${name}`);
  const [code] = found;
  // a helper that only this example uses is part of it
  const helpers = [...source.matchAll(/^function (\w+)\b[\s\S]*?^}$/gm)].filter(([, helper]) =>
    code.includes(`<${helper} `),
  );
  const body = [code.replace(/^export /, ''), ...helpers.map(([text]) => text)].join('\n\n');
  return [importsOf(source, body), body].filter(Boolean).join('\n\n');
}

/** What `body` uses of the modules that a plugin may import too, without types. */
function importsOf(source: string, body: string): string {
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(body);
  return [...source.matchAll(/^import \{([^}]*)\} from '([^.'][^']*)';$/gm)]
    .map(([, names = '', module]) => {
      const used = names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => /^\w+$/.test(name) && isUsed(name));
      return used.length > 0 ? `import { ${used.join(', ')} } from '${module}';` : '';
    })
    .filter(Boolean)
    .join('\n');
}

/** Components that a source renders, in their order. */
export function shownIn(code: string): readonly string[] {
  return [...new Set([...code.matchAll(/(?<!\w)<([A-Z]\w*)/g)].map((match) => match[1] as string))];
}
