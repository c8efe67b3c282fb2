/** The source of one example: what stands between `export function NAME` and the next line with nothing but `}`. */
export function codeOf(source: string, name: string): string {
  const found = new RegExp(`^export function ${name}\\b[\\s\\S]*?^}$`, 'm').exec(source);
  if (!found) throw new Error(`no source of ${name}`);
  const [code] = found;
  // a helper that only this example uses is part of it
  const helpers = [...source.matchAll(/^function (\w+)\b[\s\S]*?^}$/gm)].filter(([, helper]) =>
    code.includes(`<${helper} `),
  );
  return [code.replace(/^export /, ''), ...helpers.map(([text]) => text)].join('\n\n');
}

/** Components that a source renders, in their order. */
export function shownIn(code: string): readonly string[] {
  return [...new Set([...code.matchAll(/(?<!\w)<([A-Z]\w*)/g)].map((match) => match[1] as string))];
}
