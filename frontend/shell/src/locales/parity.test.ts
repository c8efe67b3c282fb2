import { describe, expect, it } from 'vitest';

type Texts = Record<string, string>;

const files = import.meta.glob<Texts | Record<string, Texts>>(
  [
    './*.json',
    '../../../gallery/**/locales/**/*.json',
    '../../../packages/kit/src/**/locales/**/*.json',
    '../../../../plugins/*/insight_*/**/locales/**/*.json',
    '../../../../plugins/*/frontend/**/{en,zh-CN}.json', // nothing: texts are in the package
  ],
  { eager: true, import: 'default' },
);
const isGrouped = (file: Texts | Record<string, Texts>): file is Record<string, Texts> =>
  Object.values(file).every((value) => typeof value === 'object');

/** By folder and group, then by language. */
const groups = new Map<string, Record<string, Texts>>();
for (const [path, file] of Object.entries(files)) {
  const cut = path.lastIndexOf('/');
  for (const [name, texts] of Object.entries(isGrouped(file) ? file : { '': file })) {
    const at = `${path.slice(0, cut)} ${name}`.trim();
    groups.set(at, { ...groups.get(at), [path.slice(cut + 1, -'.json'.length)]: texts });
  }
}
const isOfReason = (key: string): boolean => key.startsWith('reason.'); // they may quote code

/**
 * Keys without plural forms, of which a language has those that it needs, and without those of reasons, which say their
 * English text themselves.
 */
const keys = (catalogue: Record<string, string> = {}): string[] =>
  Object.keys(catalogue)
    .filter((key) => !(key.endsWith('.one') && key.slice(0, -4) in catalogue) && !isOfReason(key))
    .sort();
const holes = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string).sort();

it('a package has one folder of them', () => {
  const folders = [...new Set(Object.keys(files).map((path) => path.slice(0, path.lastIndexOf('/'))))];
  const packageOf = (folder: string): string => /plugins\/\w+|packages\/kit|gallery/.exec(folder)?.[0] ?? folder;
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.map(packageOf)).toEqual([...new Set(folders.map(packageOf))]);
});

describe.each([...groups])('catalogues in %s', (_, group) => {
  it('are there in both languages', () => {
    const wanted = Object.values(group).some((catalogue) => keys(catalogue).length > 0) ? ['en', 'zh-CN'] : ['zh-CN'];
    expect(Object.keys(group)).toEqual(expect.arrayContaining(wanted));
  });
  it('have the same keys, none empty', () => {
    expect(keys(group['zh-CN'])).toEqual(keys(group['en']));
    for (const catalogue of Object.values(group)) {
      for (const [key, text] of Object.entries(catalogue)) expect(text.trim(), key).not.toBe('');
    }
  });
  it('use full-width marks in Chinese', () => {
    for (const [key, text] of Object.entries(group['zh-CN'] ?? {}).filter(([key]) => !isOfReason(key)))
      expect(text, key).not.toMatch(/[\u4e00-\u9fff}] ?[,:;!?()]|[,:;!?()] ?[\u4e00-\u9fff]/);
  });
  it('fill in the same values', () => {
    for (const key of Object.keys(group['en'] ?? {})) {
      if (key.endsWith('.one')) continue;
      const text = group['en']?.[key] ?? '';
      expect(holes(group['zh-CN']?.[key] ?? ''), key).toEqual(holes(text));
    }
  });
});
