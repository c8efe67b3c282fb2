/** The gallery of the kit: a tab that `insight-host plugin dev` adds. */
import { cardStyles, codecs, StepBoard, stepMessages, stepStyles, tab } from '@insight-host/kit';
import { HistogramBoard, histogramMessages, histogramStyles } from '@insight-host/kit/histograms';
import { tableStyles } from '@insight-host/kit/table';
import { Gallery } from './gallery';
import styles from './gallery.css?inline';
import type { Given } from './given';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import { sampleContext } from './samples';

export default tab<Given>({
  messages: {
    en: { ...stepMessages.en, ...histogramMessages.en, ...en },
    'zh-CN': { ...stepMessages['zh-CN'], ...histogramMessages['zh-CN'], ...zh },
  },
  styles: cardStyles + stepStyles + histogramStyles + tableStyles + styles,
  board: (page) => {
    const { ctx } = page;
    const made = {
      board: new StepBoard(sampleContext(ctx)),
      histograms: new HistogramBoard(sampleContext(ctx)),
      loading: new StepBoard(sampleContext(ctx, 'loading')),
      failing: new StepBoard(sampleContext(ctx, 'failing')),
      empty: new StepBoard(sampleContext(ctx, 'empty')),
    };
    for (const each of Object.values(made)) page.until(() => each.dispose());
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
