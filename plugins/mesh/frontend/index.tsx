import {
  AttemptsChoice,
  boardKeys,
  Button,
  cardStyles,
  Choice,
  Cluster,
  Frame,
  Menu,
  Range,
  Select,
  tab,
  Toggle,
} from '@insight-host/kit';
import { LinkSteps, stepKeys, stepMessages, stepStyles, TimeChoice } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import en from '../insight_mesh/locales/en.json';
import zh from '../insight_mesh/locales/zh-CN.json';
import { COLORS, DRAWS, meshParts, SIZES, UPS, type MeshParts } from './board';
import { cameraOf, VIEWS, type View } from './camera';
import { ShapeCard } from './card';
import styles from './mesh.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: meshParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['d', 'draw.turn', () => board.draw.set(DRAWS[(DRAWS.indexOf(board.draw.value) + 1) % DRAWS.length] ?? 'smooth')],
    ...(Object.keys(VIEWS) as View[]).map((view, n): [string, string, () => void] => [
      String(n + 1),
      `view.${view}`,
      () => lookFrom(board, view),
    ]),
  ],
});

const VIEW_NAMES = Object.keys(VIEWS) as readonly View[];

function App({ board }: { readonly board: MeshParts }): JSX.Element {
  const { t: say } = board.page;
  const tools = (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      <Views board={board} />
      <Choice say={say} name="draw" label={say('draw')} values={DRAWS} setting={board.draw} />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
  const display = (
    <>
      {board.catalogue.count > 0 && (
        <Toggle
          action="tensors"
          label={say('tensors.hint')}
          text={say('tensors', { count: board.catalogue.count })}
          setting={board.tensors}
        />
      )}
      <Choice say={say} name="up" label={say('up')} values={UPS} setting={board.up} />
      <Toggle action="parallel" label={say('parallel.hint')} text={say('parallel')} setting={board.parallel} />
      <Toggle action="scale" label={say('scale.hint')} text={say('scale')} setting={board.oneScale} />
      <Select
        name="color"
        label={say('color')}
        value={board.color.value}
        options={COLORS.map((value) => ({ value, text: say(`color.${value}`) }))}
        onPick={(value) => board.color.set(value)}
      />
      <Range name="size" label={say('size')} setting={board.size} low={SIZES[0]} high={SIZES[1]} step={0.5} />
    </>
  );
  return (
    <Frame
      board={board}
      name="shapes"
      tools={tools}
      display={display}
      card={(card, place) => <ShapeCard board={board} card={card} place={place} />}
    />
  );
}

/** Moves the cameras of all shapes. */
function lookFrom(board: MeshParts, view: View): void {
  board.cameras.lookAll(board.tags.runsByTag.value.keys(), (tag) => ({
    ...cameraOf(view),
    zoom: board.cameras.of(tag)?.zoom ?? 1,
  }));
}

/** Looks at all shapes from a side. */
function Views({ board }: { readonly board: MeshParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <Cluster>
      <Menu
        action="sides"
        icon="camera"
        label={say('views')}
        items={() =>
          VIEW_NAMES.map((view) => ({
            action: `view-${view}`,
            text: say(`view.${view}`),
            onPress: () => lookFrom(board, view),
          }))
        }
      />
      <Button action="view-reset" icon="reset" label={say('view.reset')} onPress={() => board.cameras.reset()} />
    </Cluster>
  );
}
