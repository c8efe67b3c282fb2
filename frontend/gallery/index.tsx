/** The gallery of the kit: a tab that `insight-host plugin dev` adds. */
import { cardStyles, codecs, Page, tab } from '@insight-host/kit';
import { stepMessages, stepParts, stepStyles } from '@insight-host/kit/steps';
import { histogramMessages, histogramParts, histogramStyles } from '@insight-host/kit/histograms';
import { tableStyles } from '@insight-host/kit/table';
import { Gallery } from './gallery';
import styles from './gallery.css?inline';
import type { Given } from './given';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import { sampleContext, type SampleState } from './samples';

export default tab<Given>({
  messages: {
    en: { ...stepMessages.en, ...histogramMessages.en, ...en },
    'zh-CN': { ...stepMessages['zh-CN'], ...histogramMessages['zh-CN'], ...zh },
  },
  styles: cardStyles + stepStyles + histogramStyles + tableStyles + styles,
  board: (page) => {
    const sample = (state?: SampleState): Page => {
      const own = new Page(sampleContext(page.ctx, state));
      page.until(() => own.dispose());
      return own;
    };
    const made = {
      board: stepParts(sample()),
      histograms: histogramParts(sample()),
      loading: stepParts(sample('loading')),
      failing: stepParts(sample('failing')),
      empty: stepParts(sample('empty')),
    };
    const settings = {
      grid: page.setting('grid', codecs.flag(true)),
      values: page.setting('values', codecs.flag(false)),
      full: page.setting('full', codecs.flag(false)),
      amount: page.setting('amount', codecs.number(0, 1, 0.6)),
    };
    return { page, ...settings, ...made };
  },
  view: (given) => <Gallery {...given} />,
  keys: () => [],
});
