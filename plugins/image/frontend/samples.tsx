import { NumberBox, type CardKey } from '@insight-host/kit';
import { Latest } from '@insight-host/kit/lab';
import { type Records } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
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

/** Which picture of a batch is shown, and of how many; nothing where there is but one. */
export function SampleChoice({ board, card, records, index }: SampleChoiceProps): JSX.Element | null {
  const latest = useMemo(() => new Latest<RecordInfo>(board.queue, () => 0), [board]);
  const sample = board.samples.of(card) ?? 0;
  const query = queryOf(card, records, index, 0);
  const key = JSON.stringify(query);
  const visible = board.page.visible.value;
  useEffect(() => {
    if (visible) latest.want(key, (signal) => board.page.ctx.data.json<RecordInfo>('info', query, { signal }));
  }, [latest, key, visible]);
  useEffect(() => () => latest.rest(), [latest]);
  const count = latest.answer.value?.value.samples;
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
