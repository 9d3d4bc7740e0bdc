// Command relay receives readings over UDP and serves the last day as JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"log"
	"net"
	"net/http"
	"strings"
)

const (
	readingsPerDay   = 288 // one every five minutes
	maxDatagramBytes = 256
)

// parse reads "TG1 station sequence time level checksum" and checks the checksum.
func parse(datagram string) (Reading, error) {
	var reading Reading
	cut := strings.LastIndexByte(datagram, ' ')
	if cut < 0 {
		return reading, fmt.Errorf("no checksum in %q", datagram)
	}
	body, checksum := datagram[:cut], datagram[cut+1:]
	if fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))) != checksum {
		return reading, fmt.Errorf("wrong checksum in %q", datagram)
	}
	_, err := fmt.Sscanf(body, "TG1 %s %d %d %d",
		&reading.Station, &reading.Sequence, &reading.UnixS, &reading.LevelMM)
	return reading, err
}

// receive stores every valid reading of the station and acknowledges it.
func receive(link net.PacketConn, station string, ring *Ring) {
	buffer := make([]byte, maxDatagramBytes)
	for {
		size, sender, err := link.ReadFrom(buffer)
		if err != nil {
			log.Printf("receive: %v", err)
			return
		}
		reading, err := parse(string(buffer[:size]))
		if err != nil || reading.Station != station {
			continue // noise and strangers get no answer
		}
		ring.Add(reading)
		ack := fmt.Sprintf("ACK %s %d", reading.Station, reading.Sequence)
		if _, err := link.WriteTo([]byte(ack), sender); err != nil {
			log.Printf("acknowledge %d: %v", reading.Sequence, err)
		}
	}
}

func main() {
	station := flag.String("station", "oslar", "the only station whose readings are kept")
	udp := flag.String("udp", ":7700", "address for readings")
	web := flag.String("http", "127.0.0.1:7780", "address for GET /level")
	flag.Parse()

	link, err := net.ListenPacket("udp", *udp)
	if err != nil {
		log.Fatal(err)
	}
	ring := NewRing(readingsPerDay)
	go receive(link, *station, ring)

	http.HandleFunc("GET /level", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(ring.All()); err != nil {
			log.Printf("GET /level: %v", err)
		}
	})
	log.Fatal(http.ListenAndServe(*web, nil))
}
