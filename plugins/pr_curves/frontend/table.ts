import type { Page } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import type { Curves } from './curve';

/** Every threshold of every run, exactly. */
export function tableOf({ t: say }: Pick<Page, 't'>, { curves }: Curves): ChartData {
  const names = ['tp', 'fp', 'tn', 'fn', 'precision', 'recall', 'f1', 'false_rate'];
  return {
    head: [say('run'), say('step'), say('threshold'), ...names.map((name) => say(name))],
    rows: curves.flatMap((curve) => {
      const columns = [
        curve.thresholds,
        curve.truePositives,
        curve.falsePositives,
        curve.trueNegatives,
        curve.falseNegatives,
        curve.precision,
        curve.recall,
        curve.f1,
        curve.falsePositiveRate,
      ];
      return Array.from(curve.thresholds, (_, i) => [
        curve.run,
        curve.step,
        ...columns.map((column) => column[i] ?? null),
      ]);
    }),
  };
}
