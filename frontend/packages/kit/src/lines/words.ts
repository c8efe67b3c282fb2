import type { Locale } from '@insight-host/api';

const WORDS = {
  en: { leftOut: (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'value' : 'values'} ≤ 0 not shown` },
  'zh-CN': { leftOut: (count: number) => `有 ${count.toLocaleString('zh-CN')} 个 ≤ 0 的值未显示` },
} as const;

/** Texts of the chart itself. */
export function words(locale: Locale): (typeof WORDS)[Locale] {
  return WORDS[locale] ?? WORDS.en;
}
