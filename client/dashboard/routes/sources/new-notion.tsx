import { NewSourcePage } from './source-form.tsx';

export default function NewNotionPage() {
  return <NewSourcePage type="notion" />;
}
