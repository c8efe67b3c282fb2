import {
  AttemptsChoice,
  Card,
  CardAlone,
  CardGrid,
  CardHead,
  Content,
  ErrorCell,
  Frame,
  PluginCardBody,
  PluginCards,
  Seldom,
  TagFilter,
  TagName,
  type CardKey,
} from '@insight-host/kit';
import { LinkSteps, StepSlider, TimeChoice, useSteps, type StepParts } from '@insight-host/kit/steps';
import type { ShownCard } from '@insight-host/api';
import type { JSX } from 'preact';
import type { Given } from '../given';

const FIRST: CardKey = { tag: 'layers/first', run: 'baseline' };
/** As `ctx.contributed` has them. */
const ADDED: readonly ShownCard[] = [
  {
    id: 'notes',
    plugin: 'notes',
    title: 'Notes',
    mount: (host) => (host.append('Fills its place.'), () => undefined),
  },
  {
    id: 'late',
    plugin: 'notes',
    title: 'Late',
    mount: (_, failed) => (failed(new Error('the file is gone')), () => undefined),
  },
];
const BROKEN: CardKey = { tag: 'loss', run: 'broken' };

export function WholeTab({ board }: Given): JSX.Element {
  const tools = (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      <AttemptsChoice page={board.page} setting={board.attempts} />
      <LinkSteps board={board} />
    </>
  );
  return <Frame board={board} name="example" tools={tools} card={(card) => <Body board={board} card={card} />} />;
}

function Body({ board, card }: { readonly board: StepParts; readonly card: CardKey }): JSX.Element {
  const steps = useSteps(board, card);
  return (
    <>
      <CardHead board={board} card={card} />
      <div class="view">
        {steps.error ? <ErrorCell page={board.page} card={card} reason={steps.error} /> : `record ${steps.index}`}
      </div>
      <StepSlider board={board} card={card} steps={steps} />
      <footer>
        <span class="counts">6 of 8 steps</span>
        <Seldom>seen while the card is looked at</Seldom>
      </footer>
    </>
  );
}

export function Grid({ board }: Given): JSX.Element {
  return <CardGrid board={board} look="small" card={({ run }) => <p>{run}</p>} />;
}

export function OneCard({ board }: Given): JSX.Element {
  const head = (card: CardKey): JSX.Element => <CardHead board={board} card={card} note=" (a note)" />;
  return <Card board={board} card={FIRST} top={0} left={0} width={312} content={head} />;
}

export function CardOutsideOfItsTab({ board }: Given): JSX.Element {
  const head = (card: CardKey): JSX.Element => <CardHead board={board} card={card} />;
  return <CardAlone board={board} name="example" card={FIRST} content={head} />;
}

export function CardsOfPlugins({ page, grid }: Given): JSX.Element {
  return <PluginCards page={page} cards={ADDED} open={grid} />;
}

export function OneOfThem({ page }: Given): JSX.Element {
  return (
    <section class="card">
      <PluginCardBody page={page} card={ADDED[1] as ShownCard} />
    </section>
  );
}

export function Filter({ board }: Given): JSX.Element {
  return <TagFilter board={board} />;
}

export function Names(): JSX.Element {
  return <TagName title="layers/first/weights" />;
}

export function Slider({ board }: Given): JSX.Element {
  return <StepSlider board={board} card={FIRST} steps={useSteps(board, FIRST)} />;
}

export function Loading({ loading }: Given): JSX.Element {
  return <Content board={loading}>{() => <p>cards</p>}</Content>;
}

export function Failing({ failing }: Given): JSX.Element {
  return <Content board={failing}>{() => <p>cards</p>}</Content>;
}

export function WithoutData({ empty }: Given): JSX.Element {
  return <Content board={empty}>{() => <p>cards</p>}</Content>;
}

export function Problem({ board }: Given): JSX.Element {
  return (
    <ErrorCell page={board.page} card={BROKEN} step={30} reason="the record is truncated" onRetry={() => undefined} />
  );
}
