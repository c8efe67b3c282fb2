import { Card, Content, Groups } from 'insight-host/kit';
import type { JSX } from 'preact';
import type { ImageBoard } from './board';
import { CardBody } from './card';
import { Comparison } from './comparison';
import { Toolbar } from './toolbar';

export function App({ board }: { readonly board: ImageBoard }): JSX.Element {
  const compared = board.comparing.value;
  return (
    <div class="kit images" data-testid="images">
      <Toolbar board={board} />
      <Content board={board}>
        {() => (
          <Groups
            board={board}
            card={(card) => (
              <Card board={board} card={card}>
                {(place) => <CardBody board={board} card={card} place={place} />}
              </Card>
            )}
          />
        )}
      </Content>
      {compared && <Comparison board={board} card={compared} />}
    </div>
  );
}
