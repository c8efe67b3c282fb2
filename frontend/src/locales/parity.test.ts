import { describe, expect, it } from 'vitest';

const catalogues = import.meta.glob<Record<string, string>>(
  ['./*.json', '../../../plugins/*/insight_*/frontend/**/locales/*.json', '../../../plugins/*/insight_*/frontend/**/{en,zh-CN}.json'],
  { eager: true, import: 'default' },
);
const groups = new Map<string, Record<string, Record<string, string>>>();
for (const [path, catalogue] of Object.entries(catalogues)) {
  const cut = path.lastIndexOf('/');
  const group = groups.get(path.slice(0, cut)) ?? {};
  group[path.slice(cut + 1, -'.json'.length)] = catalogue;
  groups.set(path.slice(0, cut), group);
}
const holes = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string).sort();

describe.each([...groups])('catalogues in %s', (_, group) => {
  it('are there in both languages', () => {
    expect(Object.keys(group).sort()).toEqual(['en', 'zh-CN']);
  });
  it('have the same keys, none empty', () => {
    expect(Object.keys(group['zh-CN'] ?? {}).sort()).toEqual(Object.keys(group['en'] ?? {}).sort());
    for (const catalogue of Object.values(group)) {
      for (const [key, text] of Object.entries(catalogue)) expect(text.trim(), key).not.toBe('');
    }
  });
  it('fill in the same values', () => {
    for (const [key, text] of Object.entries(group['en'] ?? {})) {
      expect(holes(group['zh-CN']?.[key] ?? ''), key).toEqual(holes(text));
    }
  });
});
