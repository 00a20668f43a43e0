/** Somebody at the other end of a call over webrtc. It runs in the page of the provider, which says whether it heard anything. */
export async function answerCall(offer: string): Promise<string> {
  // biome-ignore lint/suspicious/noExplicitAny: this side has no types for the world in there.
  const world = globalThis as any;
  const peer = new world.RTCPeerConnection();
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  peer.ondatachannel = ({ channel }: any) => {
    const said = 'conversation.item.input_audio_transcription';
    const say = (type: string, more: object) =>
      channel.send(JSON.stringify({ type: `${said}.${type}`, item_id: 'item_1', content_index: 0, ...more }));
    // Not at once: a provider first has to hear something.
    setTimeout(() => {
      // What nobody can read is passed over.
      for (const strange of ['no json', 'null']) channel.send(strange);
      say('delta', { delta: 'How do I' });
    }, 150);
    channel.onmessage = async ({ data }: { data: string }) => {
      if (JSON.parse(data).type !== 'input_audio_buffer.commit') return;
      for (const report of (await peer.getStats()).values())
        if (report.type === 'inbound-rtp' && report.bytesReceived > 0) world.soundHeard = true;
      say('completed', { transcript: 'How do I reset my password?' });
    };
  };
  await peer.setRemoteDescription({ type: 'offer', sdp: offer });
  await peer.setLocalDescription(await peer.createAnswer());
  await new Promise<void>((resolve) => {
    const look = () => (peer.iceGatheringState === 'complete' ? resolve() : setTimeout(look, 10));
    look();
  });
  return peer.localDescription.sdp;
}
