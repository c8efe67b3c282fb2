import { CardAlone, Frame, type CardKey } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useArranging } from './arranging';
import type { ScalarParts } from './board';
import { AxisDialog } from './axis_dialog';
import { CardBody } from './card';
import { CardsOfPlugins } from './cards_of_plugins';
import type { CardDialogProps } from './card_dialog';
import { DerivedDialog } from './derived_dialog';
import { FirstDialog } from './first_dialog';
import { GonePins } from './gone_pins';
import { useLater } from './later';
import { LimitsDialog } from './limits_dialog';
import { useLayouts } from './panels/layouts';
import { PairDialog } from './pair_dialog';
import { ThresholdDialog } from './threshold_dialog';
import { Tools } from './toolbar';

interface BoardProps {
  readonly board: ScalarParts;
}

export function App({ board }: BoardProps): JSX.Element {
  return (
    <Frame
      board={board}
      name="scalars"
      look={`${board.page.theme.value.mode} ${board.layout.value === 'table' ? 'tabular' : board.size.look.value}`}
      tools={<Tools board={board} />}
      card={(card, place) => <CardBody board={board} card={card} place={place} />}
      above={<Above board={board} />}
      pluginCards={false}
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

function Above({ board }: BoardProps): JSX.Element {
  const place = useRef<HTMLSpanElement>(null);
  useArranging(board, place);
  return (
    <>
      <span ref={place} hidden />
      <GonePins board={board} />
      <Panels board={board} />
      <CardsOfPlugins board={board} />
    </>
  );
}

/** The table of all series, whose code is loaded when it is first shown. */
function Summary({ board }: BoardProps): JSX.Element {
  const loaded = useLater(board, () => import('./table'));
  return loaded ? <loaded.SummaryTable board={board} /> : <div class="table" aria-busy="true" />;
}

/** Panels, if there are some. */
function Panels({ board }: BoardProps): JSX.Element | null {
  const { own, ofSelected } = board.panels;
  useLayouts(board);
  return own.value.length + ofSelected.value.length > 0 ? <PanelSections board={board} /> : null;
}

function PanelSections({ board }: BoardProps): JSX.Element {
  const loaded = useLater(board, () => import('./panels/sections'));
  return loaded ? <loaded.Sections board={board} /> : <div class="panels" aria-busy="true" />;
}

function ArrangeDialog(props: CardDialogProps): JSX.Element | null {
  const loaded = useLater(props.board, () => import('./arrange_dialog'));
  return loaded && <loaded.ArrangeDialog {...props} />;
}

function PanelDialog(props: CardDialogProps): JSX.Element | null {
  const loaded = useLater(props.board, () => import('./panels/dialog'));
  return loaded && <loaded.PanelDialog {...props} />;
}

function LaterNotes(props: CardDialogProps): JSX.Element | null {
  const loaded = useLater(props.board, () => import('./notes_dialog'));
  return loaded && <loaded.NotesDialog {...props} />;
}

const DIALOGS = {
  threshold: ThresholdDialog,
  pair: PairDialog,
  derived: DerivedDialog,
  first: FirstDialog,
  limits: LimitsDialog,
  axis: AxisDialog,
  panel: PanelDialog,
  notes: LaterNotes,
  arrange: ArrangeDialog,
} as const;

function Dialogs({ board }: BoardProps): JSX.Element | null {
  const open = board.dialog.value;
  if (!open) return null;
  const close = (): void => void (board.dialog.value = null);
  const Which = DIALOGS[open.kind];
  return <Which key={`${open.kind} ${open.tag}`} board={board} tag={open.tag} onClose={close} />;
}
