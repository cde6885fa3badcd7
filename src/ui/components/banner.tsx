import {bannerLine, waitBanner} from '../model/frame-lines.ts';
import {useSeconds, useTui, useTuiState} from '../tui-context.tsx';
import {Lines} from './lines.tsx';

/** What must not be missed; while a job waits, its countdown. */
export function Banner() {
  const [state] = useTuiState();
  return state.job?.wait ? <WaitBanner /> : <PlainBanner />;
}

function PlainBanner() {
  return <Lines lines={[bannerLine(...useTuiState())]} />;
}

function WaitBanner() {
  const {ports} = useTui();
  const [state, facts] = useTuiState();
  useSeconds();
  return <Lines lines={[waitBanner(state, facts, new Date(ports.now()).toISOString())]} />;
}
