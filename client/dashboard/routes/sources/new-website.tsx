import { NewSourcePage } from './source-form.tsx';

export default function NewWebsitePage() {
  return <NewSourcePage type="website" />;
}
