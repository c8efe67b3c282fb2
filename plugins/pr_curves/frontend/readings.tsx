import { valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { indexAt, type Curve, type Curves, type PrParts } from './board';

interface ReadingsProps {
  readonly board: PrParts;
  readonly found: Curves | null;
  readonly threshold: number;
}

/** Lists the values of every run at the threshold, and its area. */
export function Readings({ board, found, threshold }: ReadingsProps): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const isRoc = board.view.value === 'roc';
  const heads = ['tp', 'fp', 'tn', 'fn', 'precision', 'recall', 'f1'];
  return (
    <div class="readings" tabIndex={0} role="group" aria-label={say('readings')}>
      <table data-testid="readings">
        <thead>
          <tr>
            <th>{say('threshold.at', { threshold: threshold.toFixed(3) })}</th>
            {heads.map((head) => (
              <th key={head} class="number" title={say(`${head}.hint`)}>
                {say(head)}
              </th>
            ))}
            <th class="number" title={say(isRoc ? 'auc.hint' : 'ap.hint')}>
              {say(isRoc ? 'auc' : 'ap')}
            </th>
          </tr>
        </thead>
        <tbody>
          {found?.curves.map((curve) => (
            <Row key={curve.run} board={board} curve={curve} threshold={threshold} isRoc={isRoc} />
          ))}
          {found?.errors.map((unread) => (
            <tr key={unread.run} class="unread" data-hover-run={unread.run}>
              <RunName board={board} run={unread.run} step={unread.step} />
              <td colSpan={8} title={page.reason(unread)}>
                {page.reason(unread)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly board: PrParts;
  readonly curve: Curve;
  readonly threshold: number;
  readonly isRoc: boolean;
}

function Row({ board, curve, threshold, isRoc }: RowProps): JSX.Element {
  const at = indexAt(curve, threshold);
  const counts = [curve.truePositives, curve.falsePositives, curve.trueNegatives, curve.falseNegatives];
  const shares = [curve.precision, curve.recall, curve.f1];
  const area = isRoc ? curve.rocArea : curve.averagePrecision;
  const best = board.page.t('best', { f1: curve.best.f1.toFixed(3), threshold: curve.best.threshold.toFixed(3) });
  return (
    <tr data-hover-run={curve.run} data-run={curve.run}>
      <RunName board={board} run={curve.run} step={curve.step} />
      {counts.map((column, i) => (
        <td key={i} class="number">
          {countText(column[at] ?? NaN, board.page.locale.value)}
        </td>
      ))}
      {shares.map((column, i) => (
        <td key={i} class="number" {...(i === 2 ? { title: best } : {})}>
          {shareText(column[at] ?? NaN)}
        </td>
      ))}
      <td class="number area" {...(isRoc && curve.noRoc ? { title: board.page.reason(curve.noRoc) } : {})}>
        {area === null ? '–' : shareText(area)}
      </td>
    </tr>
  );
}

function RunName({ board, run, step }: Pick<ReadingsProps, 'board'> & { readonly run: string; readonly step: number }) {
  const { page } = board;
  return (
    <th scope="row" title={`${run}\n${page.t('time.step', { step })}`}>
      <i class="dot" style={{ background: page.colorOf(run) }} />
      {page.nameOf(run)}
    </th>
  );
}

/** Weighted examples give fractions. */
const countText = (count: number, locale: string): string =>
  Number.isInteger(count) ? count.toLocaleString(locale) : valueText(Number(count.toPrecision(4)));

const shareText = (share: number): string => (Number.isFinite(share) ? share.toFixed(3) : valueText(share));
