import { useSignal } from '@preact/signals';
import { CardAlone, Frame, message, type CardKey } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from './board';
import { AxisDialog } from './axis_dialog';
import { CardBody } from './card';
import { DerivedDialog } from './derived_dialog';
import { FirstDialog } from './first_dialog';
import { LimitsDialog } from './limits_dialog';
import { PluginCards } from './plugin_cards';
import { PairDialog } from './pair_dialog';
import { ThresholdDialog } from './threshold_dialog';
import { Tools } from './toolbar';

export function App({ board }: { readonly board: ScalarParts }): JSX.Element {
  return (
    <Frame
      board={board}
      name="scalars"
      look={board.layout.value === 'table' ? `${board.page.theme.value.mode} tabular` : board.page.theme.value.mode}
      tools={<Tools board={board} />}
      card={(card, place) => <CardBody board={board} card={card} place={place} />}
      above={<PluginCards board={board} />}
      instead={board.layout.value === 'table' && <Summary board={board} />}
    >
      <Dialogs board={board} />
    </Frame>
  );
}

/** One card of the tab, in a report or a page of others. */
export function ScalarCard({ board, card }: { readonly board: ScalarParts; readonly card: CardKey }): JSX.Element {
  return (
    <CardAlone
      board={board}
      name="scalars"
      card={card}
      content={(key, place) => <CardBody board={board} card={key} place={place} isAlone />}
    >
      <Dialogs board={board} />
    </CardAlone>
  );
}

/** The table of all series, whose code is loaded when it is first shown. */
function Summary({ board }: { readonly board: ScalarParts }): JSX.Element {
  const loaded = useSignal<typeof import('./table') | null>(null);
  useEffect(() => {
    import('./table').then(
      (made) => (loaded.value = made),
      (error: unknown) => board.page.ctx.notify('error', message(error)),
    );
  }, []);
  return loaded.value ? <loaded.value.SummaryTable board={board} /> : <div class="table" aria-busy="true" />;
}

const DIALOGS = {
  threshold: ThresholdDialog,
  pair: PairDialog,
  derived: DerivedDialog,
  first: FirstDialog,
  limits: LimitsDialog,
  axis: AxisDialog,
} as const;

function Dialogs({ board }: { readonly board: ScalarParts }): JSX.Element | null {
  const open = board.dialog.value;
  if (!open) return null;
  const close = (): void => void (board.dialog.value = null);
  const Which = DIALOGS[open.kind];
  return <Which key={`${open.kind} ${open.tag}`} board={board} tag={open.tag} onClose={close} />;
}
