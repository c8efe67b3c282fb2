import { Card, Content, Groups } from 'insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarBoard } from './board';
import { CardBody } from './card';
import { PairDialog } from './pair_dialog';
import { Table } from './table';
import { ThresholdDialog } from './threshold_dialog';
import { Toolbar } from './toolbar';

export function App({ board }: { readonly board: ScalarBoard }): JSX.Element {
  return (
    <div class={`kit scalars ${board.theme.value.mode}`} data-testid="scalars">
      <Toolbar board={board} />
      <Content board={board}>
        {() =>
          board.layout.value === 'table' ? (
            <Table board={board} />
          ) : (
            <Groups
              board={board}
              card={(card) => (
                <Card board={board} card={card}>
                  {(place) => <CardBody board={board} card={card} place={place} />}
                </Card>
              )}
            />
          )
        }
      </Content>
      <Dialogs board={board} />
    </div>
  );
}

function Dialogs({ board }: { readonly board: ScalarBoard }): JSX.Element | null {
  const open = board.dialog.value;
  if (!open) return null;
  const close = (): void => void (board.dialog.value = null);
  const Which = open.kind === 'threshold' ? ThresholdDialog : PairDialog;
  return <Which key={`${open.kind} ${open.tag}`} board={board} tag={open.tag} onClose={close} />;
}
