/** The kinds of panels: those of this tab, and the cards that plugins contribute. */
import type { ShownCard } from '@insight-host/api';
import { addStyles, CardHead, PluginCardBody } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLater, type ScalarParts } from '../board';
import { CardBody } from '../card/card';
import { Bars, Histogram } from './bars';
import { metricOf } from './choice';
import type { PanelProps } from './data_panel';
import { MetricField, NoteField, ScatterFields, TagFields, type FieldsProps } from './fields';
import { LastValues } from './last_values';
import { kindOfCard, type Draft } from './panels';
import { Scatter } from './scatter';

export interface PanelKind {
  /** Names the kind in panels. */
  readonly kind: string;
  readonly title: string;
  /** What is in the card, from its head to its last line. */
  readonly Body: (props: PanelProps) => JSX.Element;
  /** What the dialog asks for. */
  readonly Fields: ((props: FieldsProps) => JSX.Element) | null;
  /** Fields of a draft that this kind uses, besides its title and its size. */
  readonly uses: readonly (keyof Draft)[];
  /** Whether a draft says all that the kind needs. */
  readonly isWhole: (draft: Draft) => boolean;
}

const hasTags = ({ tags = [], regex = '', margins = [] }: Draft): boolean =>
  tags.length + margins.length > 0 || regex !== '';
const hasMetric = ({ y }: Draft): boolean => metricOf(y) !== null;

const OWN: readonly Omit<PanelKind, 'title'>[] = [
  { kind: 'lines', Body: CardBody, Fields: TagFields, uses: ['tags', 'regex', 'margins'], isWhole: hasTags },
  { kind: 'bars', Body: Bars, Fields: MetricField, uses: ['y'], isWhole: hasMetric },
  {
    kind: 'scatter',
    Body: Scatter,
    Fields: ScatterFields,
    uses: ['x', 'y', 'logX', 'logY'],
    isWhole: (draft) => hasMetric(draft) && metricOf(draft.x) !== null,
  },
  { kind: 'table', Body: LastValues, Fields: TagFields, uses: ['tags', 'regex'], isWhole: hasTags },
  { kind: 'histogram', Body: Histogram, Fields: MetricField, uses: ['y', 'logX'], isWhole: hasMetric },
  { kind: 'note', Body: Note, Fields: NoteField, uses: ['text'], isWhole: ({ text = '' }) => text.trim() !== '' },
];

/** All kinds that there are now, those of this tab first. */
export function kindsOf(board: ScalarParts): readonly PanelKind[] {
  return [
    ...OWN.map((one) => ({ ...one, title: board.page.t(`panel.kind.${one.kind}`) })),
    ...board.contributed.value.cards.map((card) => ofPlugin(card)),
  ];
}

/** The card of a plugin: there is nothing to choose. */
function ofPlugin(card: ShownCard): PanelKind {
  return { kind: kindOfCard(card), title: card.title, Body: PluginBody, Fields: null, uses: [], isWhole: () => true };
}

// one function for all: another one would be another component, and mount the card again
function PluginBody({ board, panel, card, tools }: PanelProps): JSX.Element {
  const shown = board.contributed.value.cards.find((one) => kindOfCard(one) === panel.kind);
  return (
    <>
      <CardHead board={board} card={card}>
        {tools}
      </CardHead>
      {shown && <PluginCardBody key={shown.id} page={board.page} card={shown} />}
    </>
  );
}

/** Markdown that a user wrote. */
function Note({ board, card, panel, tools }: PanelProps): JSX.Element {
  const markdown = useLater(board, () => import('@insight-host/kit/markdown'));
  const place = useRef<HTMLDivElement>(null);
  const text = panel.text ?? '';
  useEffect(() => (markdown ? addStyles(board.page.ctx, markdown.markdownStyles) : undefined), [markdown]);
  useLayoutEffect(() => {
    place.current?.replaceChildren(markdown ? markdown.rendered(text) : text);
  }, [markdown, text]);
  return (
    <>
      <CardHead board={board} card={card}>
        {tools}
      </CardHead>
      <div class="view note markdown" tabIndex={0} role="group" aria-label={board.page.titleOf(card.tag)} ref={place} />
    </>
  );
}
