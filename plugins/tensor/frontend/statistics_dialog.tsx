import { Button, copyTable, Dialog, valueText, type CardKey } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { TensorParts } from './board';
import { shapeText } from './numbers';
import type { Statistics } from './use_values';

const COUNTS: ReadonlySet<string> = new Set(['count', 'zeros', 'positives', 'negatives', 'nan', 'pos_inf', 'neg_inf']);
const NAMES = [
  'count',
  'mean',
  'std',
  'min',
  'max',
  'zeros',
  'positives',
  'negatives',
  'nan',
  'pos_inf',
  'neg_inf',
] as const;

interface StatisticsDialogProps {
  readonly board: TensorParts;
  readonly card: CardKey;
  readonly statistics: Statistics;
  /** They are of the record that is shown. */
  readonly fresh: boolean;
  readonly onClose: () => void;
}

/** All that is known of the values of a tensor. */
export function StatisticsDialog({ board, card, statistics, fresh, onClose }: StatisticsDialogProps): JSX.Element {
  const { t: say } = board.page;
  const text = (name: string, value: number | string | null): string => {
    if (typeof value !== 'number') return value ?? '–';
    return COUNTS.has(name) ? value.toLocaleString(board.page.locale.value) : valueText(value);
  };
  return (
    <Dialog
      name="statistics"
      title={`${board.page.titleOf(card.tag)} · ${board.page.nameOf(card.run ?? '')}`}
      onClose={onClose}
      foot={
        <Button
          action="copy"
          icon="copy"
          text={say('statistics.copy')}
          label={say('statistics.copy')}
          onPress={() =>
            void copyTable(board.page, [['name', 'value'], ...NAMES.map((name) => [name, statistics[name] ?? ''])])
          }
        />
      }
    >
      <p class="hint">{say('statistics.of', { shape: shapeText(statistics.dtype, statistics.shape) })}</p>
      <table class={fresh ? 'statistics' : 'statistics stale'} data-testid="statistics">
        <tbody>
          {NAMES.map((name) => (
            <tr key={name}>
              <th scope="row">{say(`statistics.${name}`)}</th>
              <td class="number" data-name={name}>
                {text(name, statistics[name])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
