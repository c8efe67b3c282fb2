import { Frame } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarBoard } from './board';
import { CardBody } from './card';
import { PairDialog } from './pair_dialog';
import { SummaryTable } from './table';
import { ThresholdDialog } from './threshold_dialog';
import { Tools } from './toolbar';

export function App({ board }: { readonly board: ScalarBoard }): JSX.Element {
  return (
    <Frame
      board={board}
      name="scalars"
      look={board.layout.value === 'table' ? `${board.theme.value.mode} tabular` : board.theme.value.mode}
      tools={<Tools board={board} />}
      card={(card, place) => <CardBody board={board} card={card} place={place} />}
      instead={board.layout.value === 'table' && <SummaryTable board={board} />}
    >
      <Dialogs board={board} />
    </Frame>
  );
}

function Dialogs({ board }: { readonly board: ScalarBoard }): JSX.Element | null {
  const open = board.dialog.value;
  if (!open) return null;
  const close = (): void => void (board.dialog.value = null);
  const Which = open.kind === 'threshold' ? ThresholdDialog : PairDialog;
  return <Which key={`${open.kind} ${open.tag}`} board={board} tag={open.tag} onClose={close} />;
}
