import { Content, Empty } from '@insight-host/kit';
import type { JSX } from 'preact';
import { Analysis } from './analysis';
import type { LandscapeBoard } from './board';
import { Comparison } from './comparison';
import { Toolbar } from './toolbar';

export function App({ board }: { readonly board: LandscapeBoard }): JSX.Element {
  return (
    <div class={board.screen.value ? 'kit landscapes full' : 'kit landscapes'} data-testid="landscapes">
      <Toolbar board={board} />
      <Content board={board}>{() => <Body board={board} />}</Content>
    </div>
  );
}

function Body({ board }: { readonly board: LandscapeBoard }): JSX.Element {
  const say = board.t;
  if (board.listFailure.value && board.isListing.value) {
    return (
      <Empty title={say('failure')} text={board.listFailure.value}>
        <button type="button" data-action="retry" onClick={() => board.retry()}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (board.isListing.value && board.listed.value.size === 0) return <div class="workspace" aria-busy="true" />;
  return board.mode.value === 'analysis' ? <Analysis board={board} /> : <Comparison board={board} />;
}
