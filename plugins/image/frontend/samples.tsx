import { NumberBox, type CardKey } from '@insight-host/kit';
import { useAnswer } from '@insight-host/kit/lab';
import { type Records } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { queryOf, type ImageParts } from './board';

interface RecordInfo {
  readonly samples: number;
}

export interface SampleChoiceProps {
  readonly board: ImageParts;
  readonly card: CardKey;
  readonly records: Records;
  readonly index: number;
}

/** Names the picture of a batch that is shown, and their number; empty for a batch of one. */
export function SampleChoice({ board, card, records, index }: SampleChoiceProps): JSX.Element | null {
  const sample = board.samples.of(card) ?? 0;
  const query = queryOf(card, records, index, 0);
  const { value: found } = useAnswer(
    JSON.stringify(query),
    (signal) => board.page.ctx.data.json<RecordInfo>('info', query, { signal }),
    { queue: board.queue, visible: board.page.visible.value },
  );
  const count = found?.samples;
  if (sample === 0 && (count === undefined || count === 1)) return null;
  const last = Math.max(0, (count ?? sample + 1) - 1);
  const label = board.page.t('sample.label');
  return (
    <label class="sample" title={board.page.t('sample.hint')}>
      <span>{label}</span>
      <NumberBox
        name="sample"
        label={label}
        value={sample}
        low={0}
        high={last}
        live
        onPick={(value) => board.samples.set(card, value || null)}
      />
      <span data-testid="sample-count">{count === undefined ? '' : board.page.t('sample.of', { last, count })}</span>
    </label>
  );
}
