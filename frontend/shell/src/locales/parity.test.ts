import { describe, expect, it } from 'vitest';

const catalogues = import.meta.glob<Record<string, string>>(
  [
    './*.json',
    '../*/locales/*.json',
    '../../../packages/kit/src/**/locales/**/*.json',
    '../../../../plugins/*/insight_*/frontend/**/locales/*.json',
    '../../../../plugins/*/frontend/locales/*.json',
    '../../../../plugins/*/insight_*/frontend/**/{en,zh-CN}.json',
  ],
  { eager: true, import: 'default' },
);
const groups = new Map<string, Record<string, Record<string, string>>>();
for (const [path, catalogue] of Object.entries(catalogues)) {
  const cut = path.lastIndexOf('/');
  const group = groups.get(path.slice(0, cut)) ?? {};
  group[path.slice(cut + 1, -'.json'.length)] = catalogue;
  groups.set(path.slice(0, cut), group);
}
/** Keys without plural forms: a language has those that it needs. */
const keys = (catalogue: Record<string, string> = {}): string[] =>
  Object.keys(catalogue)
    .filter((key) => !(key.endsWith('.one') && key.slice(0, -4) in catalogue))
    .sort();
const holes = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string).sort();

describe.each([...groups])('catalogues in %s', (_, group) => {
  it('are there in both languages', () => {
    expect(Object.keys(group).sort()).toEqual(['en', 'zh-CN']);
  });
  it('have the same keys, none empty', () => {
    expect(keys(group['zh-CN'])).toEqual(keys(group['en']));
    for (const catalogue of Object.values(group)) {
      for (const [key, text] of Object.entries(catalogue)) expect(text.trim(), key).not.toBe('');
    }
  });
  it('use full-width marks in Chinese', () => {
    for (const [key, text] of Object.entries(group['zh-CN'] ?? {}))
      expect(text, key).not.toMatch(/[\u4e00-\u9fff}] ?[,:;!?()]|[,:;!?()] ?[\u4e00-\u9fff]/);
  });
  it('fill in the same values', () => {
    for (const key of keys(group['en'])) {
      const text = group['en']?.[key] ?? '';
      expect(holes(group['zh-CN']?.[key] ?? ''), key).toEqual(holes(text));
    }
  });
});
