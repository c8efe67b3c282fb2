import { CardAlone, Frame, PluginCards, type CardKey } from '@insight-host/kit';
import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useLater, type ScalarParts } from './board';
import { useArranging } from './card/arranging';
import { CardBody } from './card/card';
import { AxisDialog, LimitsDialog, PairDialog } from './dialogs/axes';
import { DerivedDialog } from './dialogs/derived_dialog';
import { FirstDialog } from './dialogs/first_dialog';
import type { CardDialogProps } from './dialogs/parts';
import { ThresholdDialog } from './dialogs/threshold_dialog';
import { useLayouts } from './panels/layouts';
import { kindOfCard } from './panels/panels';
import { AddMenu, Tools } from './tools/toolbar';

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
      actions={<AddMenu board={board} />}
      display={<Display board={board} />}
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

/** The settings of the drawer, whose code is loaded when it is first opened. */
function Display({ board }: BoardProps): JSX.Element | null {
  const loaded = useLater(board, () => import('./tools/display'));
  return loaded && <loaded.DisplaySettings board={board} />;
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
  const loaded = useLater(props.board, () => import('./dialogs/arrange_dialog'));
  return loaded && <loaded.ArrangeDialog {...props} />;
}

function PanelDialog(props: CardDialogProps): JSX.Element | null {
  const loaded = useLater(props.board, () => import('./panels/dialog'));
  return loaded && <loaded.PanelDialog {...props} />;
}

function LaterNotes(props: CardDialogProps): JSX.Element | null {
  const loaded = useLater(props.board, () => import('./dialogs/notes_dialog'));
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

/** Nothing while runs are read, and if each pinned tag is there: in any run, not only in those selected. */
function GonePins({ board }: { readonly board: ScalarParts }): JSX.Element | null {
  const { t: say } = board.page;
  const { pins } = board.cards;
  const isLoading = board.page.allRuns.value.some(({ loading }) => loading);
  const known = useComputed(() => {
    const { value } = board.derived.catalogue.value;
    const lists = new Set(value?.runs.map((run) => value.tagsOf(run))); // runs with equal tags share one
    return new Set([...lists].flat());
  });
  const gone = isLoading || known.value.size === 0 ? [] : pins.value.filter((tag) => !known.value.has(tag));
  if (gone.length === 0) return null;
  return (
    <p class="hint gone-pins" role="status" data-testid="gone-pins">
      <span title={gone.join('\n')}>{say('pins.gone', { count: gone.length })}</span>{' '}
      <button
        type="button"
        data-action="forget-pins"
        onClick={() => pins.set(pins.value.filter((tag) => !gone.includes(tag)))}
      >
        {say('pins.gone.forget')}
      </button>
    </p>
  );
}

/** The cards that plugins add to this tab, but for those that the user made panels. */
export function CardsOfPlugins({ board }: { readonly board: ScalarParts }): JSX.Element {
  const own = new Set(board.panels.own.value.map(({ kind }) => kind));
  const cards = board.contributed.value.cards.filter((card) => !own.has(kindOfCard(card)));
  return <PluginCards page={board.page} cards={cards} open={board.pluginCards} />;
}
