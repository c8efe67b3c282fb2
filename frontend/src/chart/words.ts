import type { Locale } from '../../api';

const WORDS = {
  en: { leftOut: (count: string) => `${count} values ≤ 0 not shown` },
  'zh-CN': { leftOut: (count: string) => `有 ${count} 个 ≤ 0 的值未显示` },
} as const;

/** The few words that the chart itself says. */
export function words(locale: Locale): (typeof WORDS)[Locale] {
  return WORDS[locale] ?? WORDS.en;
}
