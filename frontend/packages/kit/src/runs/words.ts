import { runs as en } from '../locales/en.json';
import { runs as zh } from '../locales/zh-CN.json';

/** Texts of the table of runs: whoever shows it has them among its own. */
export const runTexts = { en, 'zh-CN': zh } as const;

/** Looks up a text of `runTexts`, `{name}` filled in. */
export type SayOfRuns = (key: keyof typeof en, values?: Readonly<Record<string, string | number>>) => string;
