import { Frame } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ImageParts } from './board';
import { CardBody } from './card';
import { Comparison } from './comparison';
import { Tools } from './toolbar';

export function App({ board }: { readonly board: ImageParts }): JSX.Element {
  const compared = board.comparing.card.value;
  return (
    <Frame
      board={board}
      name="images"
      tools={<Tools board={board} />}
      card={(card, place) => <CardBody board={board} card={card} place={place} />}
    >
      {compared && <Comparison board={board} card={compared} />}
    </Frame>
  );
}
